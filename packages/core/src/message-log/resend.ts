import type { Result } from "neverthrow";
import * as z from "zod";
import { messageId, spoolId } from "../values/base32-ids.ts";
import {
  type AccountId,
  type AliasId,
  accountId,
  aliasId,
  type MessageId,
  type SpoolId,
} from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp } from "../values/stored.ts";
import { FAILED_BODY_RETENTION } from "./logged-message.ts";

/** How long a request to send a message again is kept, in milliseconds: by then its body has been forgotten. */
export const RESEND_RETENTION = FAILED_BODY_RETENTION;

/** A request to send a message of an alias again, for the server that has this spool. */
export type Resend = {
  readonly spool: SpoolId;
  readonly account: AccountId;
  readonly alias: AliasId;
  readonly message: MessageId;
  /** When it was made, in epoch milliseconds. */
  readonly at: number;
};

const resend = z.object({
  spool: spoolId,
  account: accountId,
  alias: aliasId,
  message: messageId,
  at: timestamp,
});

/** Parses a request that was stored as plain data with the fields of `Resend`. */
export const parseResend = (input: unknown): Result<Resend, InvalidRequest> => parse(resend, input);
