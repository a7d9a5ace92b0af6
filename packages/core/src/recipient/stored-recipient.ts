import { ok, type Result } from "neverthrow";
import * as z from "zod";
import { emailAddress, isEmailAddress } from "../values/email-address.ts";
import {
  type AccountId,
  accountId,
  isIdentifier,
  type RecipientId,
  recipientId,
} from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { isCount, isFields, isTimestampOrNull, isVersion, timestamp, version } from "../values/stored.ts";
import { type Recipient, VERIFICATION_DELIVERIES } from "./recipient.ts";

export const storedRecipient = z.object({
  id: recipientId,
  account: accountId,
  email: emailAddress,
  verifiedAt: timestamp.nullable(),
  active: z.boolean(),
  attached: z.int().nonnegative(),
  nonce: z.string(),
  verificationSentAt: timestamp.nullable(),
  // Missing in recipients stored before there was a queue.
  verificationDelivery: z.enum(VERIFICATION_DELIVERIES).nullable().default(null),
  createdAt: timestamp,
  updatedAt: timestamp,
  version,
});

/** Version 0.1 stored the times of all messages of the last day instead of the time of the newest. */
const version01 = z.looseObject({ mailedAt: z.array(timestamp) });

const upgraded = (input: unknown): unknown => {
  // Nearly all recipients are newer, and a schema takes much longer to reject them.
  if (typeof input !== "object" || input === null || !("mailedAt" in input)) return input;
  const old = version01.safeParse(input);
  return old.success ? { verificationSentAt: old.data.mailedAt.at(-1) ?? null, ...old.data } : input;
};

/** A fast path: the same result as the schema for nearly all stored recipients, since a replacement reads several. Null for all others. */
const ordinary = (input: unknown): Recipient | null => {
  if (!isFields(input)) return null;
  const { id, account, email, verifiedAt, active, attached, nonce, verificationSentAt } = input;
  const { verificationDelivery, createdAt, updatedAt, version } = input;
  return isIdentifier<RecipientId>(id) &&
    isIdentifier<AccountId>(account) &&
    isEmailAddress(email) &&
    isTimestampOrNull(verifiedAt) &&
    typeof active === "boolean" &&
    isCount(attached) &&
    typeof nonce === "string" &&
    isTimestampOrNull(verificationSentAt) &&
    verificationDelivery === null &&
    isCount(createdAt) &&
    isCount(updatedAt) &&
    isVersion(version)
    ? {
        id,
        account,
        email,
        verifiedAt,
        active,
        attached,
        nonce,
        verificationSentAt,
        verificationDelivery,
        createdAt,
        updatedAt,
        version,
      }
    : null;
};

/**
 * Parses a recipient that was stored or exported as plain data with the fields of `Recipient`. Unknown fields are
 * dropped; a missing one is an issue.
 */
export const parseRecipient = (input: unknown): Result<Recipient, InvalidRequest> => {
  const recipient = ordinary(input);
  return recipient === null ? parse(storedRecipient, upgraded(input)) : ok(recipient);
};
