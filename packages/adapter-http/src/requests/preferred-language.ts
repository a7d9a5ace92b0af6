import { LANGUAGES, type Language } from "@postern/core/words";

/** More than any browser sends. The rest of the header is not read. */
const MAX_RANGES = 32;

/** A language range with its weight (RFC 9110, sections 12.4.2 and 12.5.4). */
const RANGE = /^(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

type Range = { readonly tag: string; readonly weight: number };

const rangesIn = (header: string): readonly Range[] =>
  header.split(",", MAX_RANGES).flatMap((text) => {
    const [, tag, weight = "1"] = RANGE.exec(text.trim()) ?? [];
    return tag === undefined ? [] : [{ tag: tag.toLowerCase(), weight: Number(weight) }];
  });

/** The language that a range stands for: `de` for `de-AT` (RFC 4647, section 3.4); undefined if it is none of ours. */
const lookUp = (tag: string): Language | undefined => {
  for (let range = tag; range !== ""; range = range.slice(0, Math.max(0, range.lastIndexOf("-")))) {
    const found = LANGUAGES.find((language) => language.toLowerCase() === range);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * The language that a browser asks for with `Accept-Language`, among those that there are; `fallback` if it asks for none of them. What is
 * malformed does not count. A range for a region comes before a later one for its language: to a reader who prefers `de-AT`, then `en`,
 * then `de`, German is better than English, which libraries that only compare weights get wrong.
 */
export const preferredLanguage = (header: string | undefined, fallback: Language): Language => {
  const ranges = rangesIn(header ?? "");
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  for (const { tag } of wanted) {
    const language = tag === "*" ? fallback : lookUp(tag);
    if (language !== undefined) return language;
  }
  return fallback;
};
