import type { Result } from "neverthrow";
import * as z from "zod";
import { emailAddress } from "../values/email-address.ts";
import { accountId, recipientId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { count, timestamp, version } from "../values/stored.ts";
import { type Recipient, VERIFICATION_DELIVERIES } from "./recipient.ts";

const storedRecipient = z.object({
  id: recipientId,
  account: accountId,
  email: emailAddress,
  verifiedAt: timestamp.nullable(),
  active: z.boolean(),
  // Missing in recipients stored before there was a default one.
  defaultSince: timestamp.nullable().default(null),
  attached: count,
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

/**
 * Parses a recipient that was stored or exported as plain data with the fields of `Recipient`. Unknown fields are
 * dropped; a missing one is an issue.
 */
export const parseRecipient = (input: unknown): Result<Recipient, InvalidRequest> =>
  parse(storedRecipient, upgraded(input));
