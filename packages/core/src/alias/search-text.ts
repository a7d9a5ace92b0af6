/** Everything in `\p{M}` is a combining mark; the two others become one by NFKC (halfwidth voiced sound marks). */
const MARKS = /[\p{M}\uFF9E\uFF9F]+/gu;

/** The most that any writing needs in a row, and what keeps normalization linear (UAX #15, stream-safe text format). */
const MAX_MARKS = 30;

/**
 * Text as searches compare it: compatibility characters are written out and case is folded, so that it can be up to 18
 * times as long (`ﷺ`). Of combining marks in a row only the first 30 count: to sort them, normalization takes time
 * quadratic in their number.
 */
export const folded = (text: string): string =>
  text
    .replace(MARKS, (marks) => marks.slice(0, MAX_MARKS))
    .normalize("NFKC")
    .toLowerCase();

/** The words of folded text: sequences of letters and digits. */
export const wordsOf = (foldedText: string): readonly string[] => foldedText.match(/[\p{L}\p{N}]+/gu) ?? [];
