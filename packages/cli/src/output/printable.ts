/** Characters that control a terminal or change how text is shown: control, format and separator characters, surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Text that others wrote, such as subjects and descriptions, made safe for a terminal, and for one field of one line. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

const jsonEscaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, "0")}`,
  ).join("");

/** A value as JSON on one line. JSON itself lets through some of these characters: they are escaped, which is the same value. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNPRINTABLE, jsonEscaped);
