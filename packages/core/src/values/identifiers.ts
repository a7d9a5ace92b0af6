import { z } from "zod";

/**
 * An identifier is opaque: 1 to 128 UTF-16 code units of well-formed Unicode, no control characters.
 * Anything else in it (`#`, `/`, `..`, `__proto__`, emoji) is allowed and means nothing: stores must
 * keep such ids apart as they are.
 */
const identifier = z
  .string()
  .min(1, "must not be empty")
  .max(128, "must be at most 128 characters")
  .refine((id) => id.isWellFormed() && !/\p{Cc}/u.test(id), "must be text without control characters");

/** The tenant key: the `sub` claim of the caller's identity token (specification, sections 1 and 5). */
export const AccountId = identifier.brand<"AccountId">();
export type AccountId = z.output<typeof AccountId>;

/** Stable for the life of the alias (specification, section 2). */
export const AliasId = identifier.brand<"AliasId">();
export type AliasId = z.output<typeof AliasId>;

export const RecipientId = identifier.brand<"RecipientId">();
export type RecipientId = z.output<typeof RecipientId>;

/** What the email-sending provider calls an event. */
export const EventId = identifier.brand<"EventId">();
export type EventId = z.output<typeof EventId>;

/**
 * The order in which stores list: by Unicode code point, which is the order of the UTF-8 bytes and so of
 * SQLite's BINARY collation and of DynamoDB's string keys. JavaScript's `<` differs from it beyond U+FFFF.
 */
export const compareIds = (a: string, b: string): number => {
  for (let i = 0; ; i += 1) {
    const [left, right] = [a.codePointAt(i), b.codePointAt(i)];
    if (left === undefined || right === undefined) return a.length - b.length;
    if (left !== right) return left - right;
  }
};
