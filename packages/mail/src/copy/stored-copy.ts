import { FAILURE_REASONS, type InvalidRequest } from "@postern/core";
import {
  accountId,
  aliasId,
  contactId,
  copyId,
  count,
  domain,
  emailAddress,
  messageId,
  messagePosition,
  parse,
  recipientId,
  timestamp,
} from "@postern/core/operations";
import type { Result } from "neverthrow";
import * as z from "zod";
import type { Copy } from "./copy.ts";

const aliasAddress = z.object({ account: accountId, id: aliasId, email: emailAddress });

const storedCopy = z.object({
  id: copyId,
  message: messageId,
  to: emailAddress,
  purpose: z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("forward"),
      alias: aliasAddress,
      tag: z.string().nullable().default(null),
      recipient: recipientId,
      // Copies stored before there were contacts have none.
      contacts: z.array(z.object({ id: contactId, email: emailAddress })).default([]),
      isAnswer: z.boolean().default(false),
    }),
    z.object({
      kind: z.literal("reply"),
      alias: aliasAddress,
      author: emailAddress,
      // Copies stored before lists could be unsubscribed from have none.
      unsubscribesFrom: messagePosition.nullable().default(null),
    }),
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
  state: z.enum(["queued", "sent", "failed", "expired", "dropped"]),
  attempts: count,
  nextAt: timestamp,
  since: timestamp,
  reason: z.enum(FAILURE_REASONS).nullable(),
  deliveredAt: timestamp.nullable(),
});

/** Parses a copy that was stored as plain data with the fields of `Copy`. */
export const parseCopy = (input: unknown): Result<Copy, InvalidRequest> => parse(storedCopy, input);
