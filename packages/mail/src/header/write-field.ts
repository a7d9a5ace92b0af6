import type { HeaderField } from "./header-fields.ts";

/** The lengths that a line should not exceed, and must not exceed (RFC 5322, section 2.1.1), without its line ending. */
const LINE_LENGTH = 78;
export const MAX_LINE_LENGTH = 998;

/** Longer names leave no room for a value. */
export const MAX_FIELD_NAME_LENGTH = LINE_LENGTH - ":".length;

/** The octets of C0 and DEL; C1 octets are parts of characters in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching them is the point
const CONTROLS = /[\u0000-\u0020\u007f]+/;

const MAX_WORD = MAX_LINE_LENGTH - MAX_FIELD_NAME_LENGTH - ": ".length;

/** A field cannot be folded inside a word, so a word that is too long for a line, after any name, is split: between characters of UTF-8. */
const PARTS = new RegExp(`[^]{1,${MAX_WORD}}(?![\\x80-\\xbf])|[^]{1,${MAX_WORD}}`, "g");

/**
 * A field with this value (latin1), folded at white space. Control characters count as white space, and each run of it becomes a single
 * space or fold, so nothing in the value can end the field. `name` has at most `MAX_FIELD_NAME_LENGTH` characters.
 */
export const writeField = (name: string, value: string): HeaderField => {
  const [first = "", ...others] = value
    .split(CONTROLS)
    .filter((word) => word !== "")
    .flatMap((word) => word.match(PARTS) ?? []);
  const lines = [`${name}: ${first}`];
  for (const word of others) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= LINE_LENGTH) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return { name: name.toLowerCase(), raw: `${lines.join("\r\n")}\r\n` };
};
