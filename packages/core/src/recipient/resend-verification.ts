import { err, ok } from "neverthrow";
import type { AccountLimits } from "../account/limits.ts";
import type { MailboxSuppressed, RateLimited } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { InvalidRequest } from "../values/parse.ts";
import {
  type ChangeRecipientError,
  changeRecipient,
  type RecipientTarget,
  recipientTarget,
} from "./change-recipient.ts";
import { chargeMessage, refundMessage } from "./message-charge.ts";
import { Recipient } from "./recipient.ts";
import { type SendVerificationPorts, sendVerification, type VerificationSent } from "./send-verification.ts";

export type ResendVerificationCommand = RecipientTarget;

export type ResendVerificationError = InvalidRequest | RateLimited | MailboxSuppressed | ChangeRecipientError;

export type VerificationResent = {
  readonly recipient: Recipient;
  readonly verification: VerificationSent | "not_needed";
};

/**
 * Sends a new verification link; earlier links stop working. The limits of `addRecipient` apply. Verified
 * recipients are not sent another link.
 *
 * @example
 * ```ts
 * const resent = await service.resendVerification({ account, recipientId });
 * ```
 */
export const resendVerification = ({
  limits,
  ...ports
}: SendVerificationPorts & {
  readonly secrets: Pick<Secrets, "hash" | "nonce" | "seal">;
  readonly limits: AccountLimits;
}): Operation<ResendVerificationCommand, VerificationResent, ResendVerificationError> =>
  operation(ports, recipientTarget, async (target, timeLeft) => {
    const found = await ports.recipients.find(target.account, target.recipientId, timeLeft());
    if (found.isErr()) return err(found.error);
    if (found.value === null) return err({ code: "recipient_not_found" });
    if (found.value.verifiedAt !== null) return ok({ recipient: found.value, verification: "not_needed" });

    const charged = await chargeMessage({ ...ports, limits }, timeLeft, found.value);
    if (charged.isErr()) return err(charged.error);
    const renewed = await changeRecipient(ports, timeLeft, target, (recipient, now) =>
      ok(
        recipient.verifiedAt === null
          ? Recipient.renewLink(recipient, ports.secrets.nonce(), now)
          : recipient,
      ),
    );
    if (renewed.isErr() || renewed.value.verifiedAt !== null) {
      await refundMessage(ports, timeLeft, charged.value);
      return renewed.map((recipient) => ({ recipient, verification: "not_needed" }));
    }
    return ok(await sendVerification(ports, renewed.value, charged.value));
  });
