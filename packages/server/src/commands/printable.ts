const MAX_LENGTH = 200;

/** Characters that control a terminal or change how text is shown: control, format and separator characters, surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Untrusted text made safe for a terminal: escaped, and cut to 200 characters or to `maxLength`. */
export const printable = (text: string, maxLength = MAX_LENGTH): string => {
  const safe = text.slice(0, maxLength + 1).replace(UNPRINTABLE, escaped);
  return safe.length > maxLength ? `${safe.slice(0, maxLength)}…` : safe;
};
