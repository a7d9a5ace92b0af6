import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { RetryPorts } from "../operation/retry-on-conflict.ts";
import type { Secrets } from "../ports/secrets.ts";
import { emailAddress } from "../values/email-address.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { MailLedger } from "./mail-ledger.ts";
import { mailboxKey, release } from "./message-charge.ts";

const command = z.object({ email: emailAddress });

/** `email` is any address of the mailbox: case and a tag after `+` do not matter. */
export type ReleaseMailboxCommand = { readonly email: string };

export type ReleaseMailboxError = InvalidRequest | Unavailable;

/**
 * For the operator: undoes `suppressMailbox` when the owner of the mailbox asks for it. Verification messages can then be
 * sent to it again, within the limits of `addRecipient`, which still count what was sent before. Returns
 * `not_suppressed`, and changes nothing, if the mailbox is not suppressed.
 *
 * @example
 * ```ts
 * await service.releaseMailbox({ email: "me@home.example" });
 * ```
 */
export const releaseMailbox = ({
  secrets,
  ...ports
}: RetryPorts & {
  readonly mailLedger: Pick<MailLedger, "find" | "save">;
  readonly secrets: Pick<Secrets, "hash">;
}): Operation<ReleaseMailboxCommand, "released" | "not_suppressed", ReleaseMailboxError> =>
  operation(ports, command, ({ email }, timeLeft) => release(ports, timeLeft, mailboxKey(secrets, email)));
