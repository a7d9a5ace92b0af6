import * as z from "zod";

/** The maximum length of an alias's description, in UTF-16 code units, once trimmed. */
export const MAX_DESCRIPTION_LENGTH = 500;

/** The owner's label for an alias: text without control characters. */
export const description = z
  .string()
  .trim()
  .max(MAX_DESCRIPTION_LENGTH, `must be at most ${MAX_DESCRIPTION_LENGTH} characters`)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be text without control characters");
