/** Combining marks, and the two halfwidth sound marks that NFKC turns into combining marks. */
const MARKS = /[\p{M}\uFF9E\uFF9F]+/gu;

/** More than any script uses in a row (UAX #15, stream-safe text format). */
const MAX_MARKS = 30;

/**
 * Text as searches compare it: NFKC in lower case. It can be 18 times as long as the original, because NFKC replaces a
 * character such as `ﷺ` with the letters it stands for. Only the first 30 of a sequence of combining marks are kept:
 * normalization sorts them, which takes time quadratic in their number.
 */
export const folded = (text: string): string =>
  text
    .replace(MARKS, (marks) => marks.slice(0, MAX_MARKS))
    .normalize("NFKC")
    .toLowerCase();

/** The words of folded text: sequences of letters and digits. */
export const wordsOf = (foldedText: string): readonly string[] => foldedText.match(/[\p{L}\p{N}]+/gu) ?? [];
