import * as z from "zod";

/**
 * The maximum length of a verification token, in UTF-16 code units. Enough for the sealed claims with the longest
 * account and recipient ids: 128 characters of at most 4 bytes in UTF-8 each.
 */
export const MAX_TOKEN_LENGTH = 2048;

export const verificationToken = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_TOKEN_LENGTH, `must be at most ${MAX_TOKEN_LENGTH} characters`);
