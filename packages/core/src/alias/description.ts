import { z } from "zod";

/** The owner's own label for an alias: up to 500 characters once trimmed, no control characters. */
export const Description = z
  .string()
  .trim()
  .max(500, "must be at most 500 characters")
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be text without control characters");
