import * as z from "zod";
import { folded } from "./search-text.ts";

/** The maximum length of an alias's description, in UTF-16 code units, once trimmed. */
export const MAX_DESCRIPTION_LENGTH = 500;

/**
 * The owner's label for an alias: text without control characters. What searches look at must not be longer either, or
 * a description could be many times as expensive to search as it is long.
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
    `must be at most ${MAX_DESCRIPTION_LENGTH} characters when its ligatures and symbols are written out (ﷺ stands for 18, ½ for 3): use fewer of them`,
  );
