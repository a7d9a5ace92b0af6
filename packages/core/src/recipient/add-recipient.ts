import { err, ok } from "neverthrow";
import * as z from "zod";
import type { AccountLimits } from "../account/limits.ts";
import type { MailboxSuppressed, RateLimited, Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Ids } from "../ports/ids.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { chargeMessage } from "./message-charge.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";
import { type SendVerificationPorts, sendVerification, type VerificationSent } from "./send-verification.ts";
import { type StoreRecipientError, storeRecipient } from "./store-recipient.ts";

const command = z.object({ account: accountId, email: emailAddress });

export type AddRecipientCommand = { readonly account: string; readonly email: string };

export type AddRecipientError = InvalidRequest | StoreRecipientError | RateLimited | MailboxSuppressed;

export type RecipientAdded = { readonly recipient: Recipient; readonly verification: VerificationSent };

const STILL_STORED: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "a recipient that was sent no message changed before it was removed" },
};

/**
 * Adds an unverified recipient and sends it a verification link. The recipient is stored even if the message could not be
 * sent: `verification` says so, and `resendVerification` tries again.
 *
 * At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts request
 * them and however often the recipient is removed and added again. Beyond that, or if the mailbox is suppressed, nothing is
 * stored.
 *
 * @example
 * ```ts
 * const added = await service.addRecipient({ account, email: "me@home.example" });
 * ```
 */
export const addRecipient = ({
  ids,
  aliasDomains,
  limits,
  ...ports
}: SendVerificationPorts & {
  readonly recipients: Pick<Recipients, "create" | "find" | "save" | "remove">;
  readonly ids: Pick<Ids, "recipient">;
  readonly secrets: Pick<Secrets, "hash" | "nonce" | "seal">;
  readonly aliasDomains: AliasDomains;
  readonly limits: AccountLimits;
}): Operation<AddRecipientCommand, RecipientAdded, AddRecipientError> =>
  operation(ports, command, async (identity, timeLeft) => {
    const added = await storeRecipient(
      { ...ports, ids, aliasDomains, limits },
      timeLeft,
      identity,
      Recipient.add,
    );
    if (added.isErr()) return err(added.error);
    const charged = await chargeMessage({ ...ports, limits }, timeLeft, identity);
    if (charged.isErr()) {
      const removed = await ports.recipients.remove(added.value, timeLeft());
      if (removed.isOk()) return err(charged.error);
      // A recipient that remains shows that no message was sent to it. Any other error would mean that nothing is stored.
      return err(removed.error.code === "conflict" ? STILL_STORED : removed.error);
    }
    return ok(await sendVerification(ports, added.value, charged.value));
  });
