const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text as one line: well-formed Unicode, with spaces instead of control characters, and without spaces around it. */
export const plainText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();

/** As much of the beginning of the text as fits into `max` UTF-16 code units, in whole characters as people see them. */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text;
  let end = 0;
  // Two code units more show whether the last character continues.
  for (const { index, segment } of GRAPHEMES.segment(text.slice(0, max + 2))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd();
};
