import type { Result } from "neverthrow";
import * as z from "zod";
import { emailAddress } from "../values/email-address.ts";
import { accountId, recipientId } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";
import type { Recipient } from "./recipient.ts";

const storedRecipient = z
  .object({
    id: recipientId,
    account: accountId,
    email: emailAddress,
    verifiedAt: timestamp.nullable(),
    active: z.boolean(),
    attached: z.int().nonnegative(),
    nonce: z.string(),
    verificationSentAt: timestamp.nullable().optional(),
    /** Stored instead by earlier versions: the times of the messages of the last day. */
    mailedAt: z.array(timestamp).default([]),
    createdAt: timestamp,
    updatedAt: timestamp,
    version,
  })
  .transform(({ mailedAt, verificationSentAt = mailedAt.at(-1) ?? null, ...recipient }) => ({
    ...recipient,
    verificationSentAt,
  }));

/**
 * Parses a recipient that was stored or exported as plain data with the fields of `Recipient`. Unknown fields are
 * dropped; a missing one is an issue.
 */
export const parseRecipient = (input: unknown): Result<Recipient, InvalidRequest> =>
  parse(storedRecipient, input);
