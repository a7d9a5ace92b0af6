import type { HeaderField } from "./header-fields.ts";

/** What a line should not exceed, and what it must not (RFC 5322, section 2.1.1), without its end. */
const LINE_LENGTH = 78;
export const MAX_LINE_LENGTH = 998;

/** Longer names leave no room for a value. */
export const MAX_FIELD_NAME_LENGTH = LINE_LENGTH - ":".length;

/** The octets of C0 and DEL; those of C1 are part of characters in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0020\u007f]+/;

/** Nothing can be folded inside a word, so one that is too long for a line, behind any name, is divided. */
const PARTS = new RegExp(`[^]{1,${MAX_LINE_LENGTH - MAX_FIELD_NAME_LENGTH - ": ".length}}`, "g");

/**
 * A field with this value (latin1), folded at white space. Control characters count as white space, and each run of it becomes a
 * single space or fold: so nothing in the value can end the field. `name` has at most `MAX_FIELD_NAME_LENGTH` characters.
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
