import { err, type Result } from "neverthrow";
import * as z from "zod";
import type { LinkInvalid, Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { RetryPorts } from "../operation/retry-on-conflict.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { MailLedger } from "./mail-ledger.ts";
import { mailboxKey, suppress } from "./message-charge.ts";
import type { Recipients } from "./recipients.ts";
import { verificationToken } from "./verification-token.ts";

const command = z.object({ token: verificationToken });

/** `token` is from the link in a verification message. */
export type SuppressMailboxCommand = { readonly token: string };

export type SuppressMailboxError = InvalidRequest | LinkInvalid | Unavailable;

/**
 * Stops all further verification messages to the mailbox that received the link, whichever accounts request them. Accepts
 * any link that this service has sent, even if it has expired or been superseded. Existing recipients, verified or not,
 * are not changed. Idempotent.
 *
 * @example
 * ```ts
 * const suppressed = await service.suppressMailbox({ token });
 * ```
 */
export const suppressMailbox = ({
  recipients,
  secrets,
  ...ports
}: RetryPorts & {
  readonly mailLedger: Pick<MailLedger, "find" | "save">;
  readonly recipients: Pick<Recipients, "find">;
  readonly secrets: Pick<Secrets, "hash" | "open">;
}): Operation<SuppressMailboxCommand, void, SuppressMailboxError> =>
  operation(ports, command, async ({ token }, timeLeft): Promise<Result<void, LinkInvalid | Unavailable>> => {
    const claims = secrets.open(token);
    if (claims === null) return err({ code: "link_invalid" });
    if (claims.mailbox !== null) return suppress(ports, timeLeft, claims.mailbox);
    const found = await recipients.find(claims.account, claims.recipientId, timeLeft());
    if (found.isErr()) return err(found.error);
    if (found.value === null) return err({ code: "link_invalid" });
    return suppress(ports, timeLeft, mailboxKey(secrets, found.value.email));
  });
