import type { Result } from "neverthrow";
import * as z from "zod";
import { messageId, spoolId } from "../values/base32-ids.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId, isText } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { count, timestamp, version } from "../values/stored.ts";
import { FAILURE_REASONS } from "./failure-reason.ts";
import {
  BLOCKED_REASONS,
  LOGGED_COPY_STATES,
  type LoggedMessage,
  MAX_SUBJECT_LENGTH,
} from "./logged-message.ts";
import { messagePositionSchema } from "./message-position.ts";

const loggedCopy = z.object({
  to: emailAddress,
  state: z.enum(LOGGED_COPY_STATES),
  at: timestamp,
  reason: z.enum(FAILURE_REASONS).nullable(),
});

const loggedMessage = z.object({
  id: messageId,
  account: accountId,
  alias: aliasId,
  at: timestamp,
  direction: z.enum(["received", "sent"]),
  contact: emailAddress.nullable(),
  size: count.nullable(),
  subject: z.string().max(MAX_SUBJECT_LENGTH).refine(isText).nullable(),
  blocked: z.enum(BLOCKED_REASONS).nullable(),
  unsubscribesFrom: messagePositionSchema.nullable().default(null),
  copies: z.array(loggedCopy),
  keptBody: z.object({ spool: spoolId, until: timestamp }).nullable(),
  // Earlier versions logged each one by itself.
  count: version.default(1),
  revision: version,
});

/**
 * Parses a logged message that was stored as plain data with the fields of `LoggedMessage`. Unknown fields are dropped; a missing
 * one is an issue, unless messages were once stored without it.
 */
export const parseLoggedMessage = (input: unknown): Result<LoggedMessage, InvalidRequest> =>
  parse(loggedMessage, input);
