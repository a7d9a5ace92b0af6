import {
  type AccountId,
  type AliasId,
  type ContactId,
  type CopyId,
  FAILURE_REASONS,
  type InvalidRequest,
  type MessageId,
  type RecipientId,
} from "@postern/core";
import {
  accountId,
  aliasId,
  contactId,
  copyId,
  domain,
  emailAddress,
  isBase32Id,
  isCount,
  isEmailAddress,
  isFields,
  isIdentifier,
  isOneOf,
  isTimestampOrNull,
  messageId,
  parse,
  recipientId,
  timestamp,
} from "@postern/core/operations";
import { ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Copy, CopyState } from "./copy.ts";
import type { AliasAddress, CopyPurpose, NamedContact } from "./purpose.ts";

const aliasAddress = z.object({ account: accountId, id: aliasId, email: emailAddress });

const STATES = ["queued", "sent", "failed", "expired", "dropped"] as const satisfies readonly CopyState[];

export const storedCopy = z.object({
  id: copyId,
  message: messageId,
  to: emailAddress,
  purpose: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("forward"),
      alias: aliasAddress,
      recipient: recipientId,
      // Copies stored before there were contacts have none.
      contacts: z.array(z.object({ id: contactId, email: emailAddress })).default([]),
    }),
    z.object({ kind: z.literal("reply"), alias: aliasAddress, author: emailAddress }),
    z.object({ kind: z.literal("postmaster"), address: emailAddress }),
    // Notices stored before their alias was looked up have none.
    z.object({ kind: z.literal("notice"), alias: aliasAddress.nullable().default(null) }),
    z.object({
      kind: z.literal("verification"),
      account: accountId,
      recipient: recipientId,
      nonce: z.string(),
      expiresAt: timestamp,
      domain,
    }),
  ]),
  state: z.enum(STATES),
  attempts: z.int().nonnegative(),
  nextAt: timestamp,
  since: timestamp,
  reason: z.enum(FAILURE_REASONS).nullable(),
  deliveredAt: timestamp.nullable(),
});

const ordinaryAlias = (input: unknown): AliasAddress | null => {
  if (!isFields(input)) return null;
  const { account, id, email } = input;
  return isIdentifier<AccountId>(account) && isIdentifier<AliasId>(id) && isEmailAddress(email)
    ? { account, id, email }
    : null;
};

const ordinaryContacts = (input: unknown): readonly NamedContact[] | null => {
  if (!Array.isArray(input)) return null;
  const contacts: NamedContact[] = [];
  for (const each of input) {
    if (!isFields(each)) return null;
    const { id, email } = each;
    if (!isBase32Id<ContactId>(id) || !isEmailAddress(email)) return null;
    contacts.push({ id, email });
  }
  return contacts;
};

const ordinaryPurpose = (input: unknown): CopyPurpose | null => {
  if (!isFields(input)) return null;
  const { kind, recipient } = input;
  const alias = ordinaryAlias(input["alias"]);
  const contacts = ordinaryContacts(input["contacts"]);
  return kind === "forward" && alias !== null && isIdentifier<RecipientId>(recipient) && contacts !== null
    ? { kind, alias, recipient, contacts }
    : null;
};

/** A fast path: the same result as the schema for nearly all copies, each of which is read several times. Null for all others. */
const ordinary = (input: unknown): Copy | null => {
  if (!isFields(input)) return null;
  const { id, message, to, state, attempts, nextAt, since, reason, deliveredAt } = input;
  const purpose = ordinaryPurpose(input["purpose"]);
  return isBase32Id<CopyId>(id) &&
    isBase32Id<MessageId>(message) &&
    isEmailAddress(to) &&
    purpose !== null &&
    isOneOf(STATES, state) &&
    isCount(attempts) &&
    isCount(nextAt) &&
    isCount(since) &&
    reason === null &&
    isTimestampOrNull(deliveredAt)
    ? { id, message, to, purpose, state, attempts, nextAt, since, reason, deliveredAt }
    : null;
};

/** Parses a copy that was stored as plain data with the fields of `Copy`. */
export const parseCopy = (input: unknown): Result<Copy, InvalidRequest> => {
  const copy = ordinary(input);
  return copy === null ? parse(storedCopy, input) : ok(copy);
};
