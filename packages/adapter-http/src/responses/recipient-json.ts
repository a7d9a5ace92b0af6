import type { Recipient } from "@postern/core";
import { z } from "zod";

/** A recipient as clients see it. */
export const RecipientJson = z.strictObject({
  recipient_id: z.string().describe("Opaque, stable for the life of the recipient"),
  recipient_email: z.string().meta({ format: "email" }),
  verified: z.boolean().describe("Whether the mailbox's owner has confirmed it"),
  active: z.boolean(),
  alias_count: z.int().nonnegative().describe("How many aliases forward to it"),
  datetime_verified: z
    .int()
    .nonnegative()
    .nullable()
    .describe("Unix epoch milliseconds; null while not verified"),
  datetime_created: z.int().nonnegative().describe("Unix epoch milliseconds"),
  datetime_updated: z.int().nonnegative().describe("Unix epoch milliseconds"),
});
export type RecipientJson = z.output<typeof RecipientJson>;

export const recipientJson = (recipient: Recipient): RecipientJson => ({
  recipient_id: recipient.id,
  recipient_email: recipient.email,
  verified: recipient.verifiedAt !== null,
  active: recipient.active,
  alias_count: recipient.attached,
  datetime_verified: recipient.verifiedAt,
  datetime_created: recipient.createdAt,
  datetime_updated: recipient.updatedAt,
});
