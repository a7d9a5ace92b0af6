import * as z from "zod";
import { cut, plainText } from "../values/plain-text.ts";
import { folded } from "./search/search-text.ts";

/** The maximum length of an alias's description, in UTF-16 code units, once trimmed. */
export const MAX_DESCRIPTION_LENGTH = 500;

/**
 * The owner's label for an alias: text without control characters. The limit also applies to the text that searches
 * compare, which can be many times longer.
 */
export const description = z
  .string()
  .trim()
  .max(MAX_DESCRIPTION_LENGTH, {
    error: `must be at most ${MAX_DESCRIPTION_LENGTH} characters`,
    abort: true,
  })
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be text without control characters")
  .refine(
    (text) => folded(text).length <= MAX_DESCRIPTION_LENGTH,
    `must be at most ${MAX_DESCRIPTION_LENGTH} characters after ligatures and symbols are replaced by the characters they stand for (ﷺ by 18, ½ by 3): use fewer of them`,
  );

/** As much of the text as a description can hold. */
export const descriptionOf = (text: string): string => {
  let kept = cut(plainText(text), MAX_DESCRIPTION_LENGTH);
  for (let { length } = folded(kept); length > MAX_DESCRIPTION_LENGTH; { length } = folded(kept)) {
    kept = cut(kept, Math.floor((kept.length * MAX_DESCRIPTION_LENGTH) / length));
  }
  return kept;
};
