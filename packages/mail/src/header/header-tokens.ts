/**
 * A token of a structured field, such as `From` (RFC 5322, section 3.2). `text` is its value; for a comment or quoted string, without
 * delimiters and with quoted pairs resolved.
 */
export type HeaderToken = {
  readonly kind: "word" | "quoted" | "comment" | "special" | "space";
  readonly text: string;
};

const SPECIALS = "<>@,;:";
const WORD = /[^\t-\r <>@,;:"()[]+/y;
const SPACE = /[\t-\r ]+/y;
/** Treated as one word even if it contains specials, which is not allowed but common. */
const ENCODED_WORD = /=\?[^?\t-\r ]{1,64}\?[bq]\?[^?\t-\r ]*\?=/iy;
const DOMAIN_LITERAL = /\[[^[\]\t-\r <>]{0,255}\]/y;

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
};

type Delimited = { readonly text: string; readonly end: number };

/** The quoted string that begins at `start`; null if it does not end. */
const quotedString = (value: string, start: number): Delimited | null => {
  let text = "";
  for (let at = start + 1; at < value.length; at += 1) {
    if (value[at] === '"') return { text, end: at + 1 };
    if (value[at] === "\\") at += 1;
    text += value.charAt(at);
  }
  return null;
};

/** The comment that begins at `start`, including nested ones; null if it does not end. */
const comment = (value: string, start: number): Delimited | null => {
  let text = "";
  let depth = 1;
  for (let at = start + 1; at < value.length; at += 1) {
    if (value[at] === "(") depth += 1;
    if (value[at] === ")") depth -= 1;
    if (depth === 0) return { text, end: at + 1 };
    if (value[at] === "\\") at += 1;
    text += value.charAt(at);
  }
  return null;
};

/** The tokens of an unfolded value, each read on demand. Takes any text; unmatched quotes and parentheses are ignored. */
export function* headerTokens(value: string): Generator<HeaderToken, void> {
  const readers = new Map([
    ['"', { kind: "quoted", read: quotedString } as const],
    ["(", { kind: "comment", read: comment } as const],
  ]);
  let at = 0;
  while (at < value.length) {
    const character = value.charAt(at);
    const reader = readers.get(character);
    const delimited = reader?.read(value, at) ?? null;
    if (reader !== undefined && delimited !== null) {
      yield { kind: reader.kind, text: delimited.text };
      at = delimited.end;
      continue;
    }
    // After one that does not end, later ones are not worth trying, and looking for their ends each time would take too long.
    if (reader !== undefined) readers.delete(character);
    const space = matchAt(SPACE, value, at);
    const word =
      matchAt(ENCODED_WORD, value, at) || matchAt(DOMAIN_LITERAL, value, at) || matchAt(WORD, value, at);
    if (space !== "") yield { kind: "space", text: " " };
    else if (word !== "") yield { kind: "word", text: word };
    else if (SPECIALS.includes(character)) yield { kind: "special", text: character };
    at += Math.max(1, space.length, word.length);
  }
}
