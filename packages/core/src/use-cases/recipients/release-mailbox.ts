import * as z from "zod";
import type { Unavailable } from "../../errors.ts";
import type { MailLedger, Secrets } from "../../ports.ts";
import { emailAddress } from "../../values/email-address.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import { mailboxKey, release } from "../shared/message-charge.ts";
import { type Operation, operation } from "../shared/operation.ts";
import type { RetryPorts } from "../shared/retry-on-conflict.ts";

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
