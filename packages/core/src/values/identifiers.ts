import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "./brand.ts";
import { type InvalidRequest, parse } from "./parse.ts";
import { withGuard } from "./with-guard.ts";

/** The tenant key: whoever owns aliases. In the HTTP API, the `sub` claim of the caller's identity token. */
export type AccountId = Brand<string, "AccountId">;

/** Identifies an alias of an account. Never changes. */
export type AliasId = Brand<string, "AliasId">;

export type RecipientId = Brand<string, "RecipientId">;

/** Identifies a mail event. Chosen by the reporter of the event. */
export type EventId = Brand<string, "EventId">;

/** Identifies a contact across all accounts: 26 characters of `a-z2-7`, which are also in its reverse address. */
export type ContactId = Brand<string, "ContactId">;

/** Identifies a blocked sender of an account: 26 characters of `a-z2-7`. */
export type BlockedSenderId = Brand<string, "BlockedSenderId">;

/** Identifies a webhook of an account: 26 characters of `a-z2-7`. */
export type WebhookId = Brand<string, "WebhookId">;

/** Identifies an API key of an account: 26 characters of `a-z2-7`. */
export type ApiKeyId = Brand<string, "ApiKeyId">;

/** Identifies a spool among those of all servers with the same store: 26 characters of `a-z2-7`. */
export type SpoolId = Brand<string, "SpoolId">;

/**
 * The first 8 characters of a spool's id, by which the other servers with the same store know it: it is short enough to be part of an
 * address. That two spools of a deployment have the same one has a chance of one in 2^40.
 */
export type SpoolMark = Brand<string, "SpoolMark">;

/** Identifies a message in the spool: 26 characters of `a-z2-7` (130 random bits). */
export type MessageId = Brand<string, "MessageId">;

/**
 * Identifies a copy: 26 characters of `a-z2-7` (130 random bits). Nobody can guess it, and it is part of the copy's envelope sender:
 * whoever reports on a copy has received it or handled it along the way.
 */
export type CopyId = Brand<string, "CopyId">;

/** The maximum length of an identifier, in UTF-16 code units. */
export const MAX_ID_LENGTH = 128;

/** Whether it is well-formed Unicode without control characters: text that every store can keep. */
export const isText = (id: string): boolean => id.isWellFormed() && !/\p{Cc}/u.test(id);

const isIdentifier = <Id extends Brand<string, string>>(input: unknown): input is Id =>
  typeof input === "string" && input.length > 0 && input.length <= MAX_ID_LENGTH && isText(input);

/**
 * Identifiers are opaque: 1 to 128 UTF-16 code units of well-formed Unicode without control characters.
 * Everything else (`#`, `/`, `..`, `__proto__`, emoji) is allowed and has no meaning: stores must not change ids or
 * mistake one for another.
 */
const identifier = <Id extends Brand<string, string>>(): z.ZodType<Id, string> =>
  withGuard(
    z
      .string()
      .min(1, "must not be empty")
      .max(MAX_ID_LENGTH, `must be at most ${MAX_ID_LENGTH} characters`)
      .refine((id): id is Id => isText(id), "must be text without control characters"),
    isIdentifier<Id>,
  );

export const accountId = identifier<AccountId>();
export const aliasId = identifier<AliasId>();
export const recipientId = identifier<RecipientId>();
export const eventId = identifier<EventId>();

/** Parses an account id: 1 to 128 characters without control characters. */
export const parseAccountId = (input: unknown): Result<AccountId, InvalidRequest> => parse(accountId, input);
/** Parses an alias id: 1 to 128 characters without control characters. */
export const parseAliasId = (input: unknown): Result<AliasId, InvalidRequest> => parse(aliasId, input);
/** Parses a recipient id: 1 to 128 characters without control characters. */
export const parseRecipientId = (input: unknown): Result<RecipientId, InvalidRequest> =>
  parse(recipientId, input);
/** Parses an event id: 1 to 128 characters without control characters. */
export const parseEventId = (input: unknown): Result<EventId, InvalidRequest> => parse(eventId, input);

/** The code units that JavaScript orders differently from their code points: surrogates come before U+E000 to U+FFFF. */
const IN_ANOTHER_ORDER = /[\ud800-\uffff]/;

/**
 * Compares ids by Unicode code point, the order in which stores list them. It is also the order of their UTF-8 bytes,
 * and therefore of SQLite's BINARY collation and DynamoDB's string keys. JavaScript's `<` differs beyond U+FFFF.
 */
export const compareIds = (a: string, b: string): number => {
  // Nearly always the case, and ten times as fast as the loop. It is enough that one of the two has no such character.
  if (!IN_ANOTHER_ORDER.test(a)) return a === b ? 0 : a < b ? -1 : 1;
  for (let i = 0; ; i += 1) {
    const [left, right] = [a.codePointAt(i), b.codePointAt(i)];
    if (left === undefined || right === undefined) return a.length - b.length;
    if (left !== right) return left - right;
  }
};

/** Whether other ids come before this one in the order of `compareIds`: faster if there are many. */
export const comesBefore = (id: string): ((other: string) => boolean) =>
  IN_ANOTHER_ORDER.test(id) ? (other) => compareIds(other, id) < 0 : (other) => other < id;
