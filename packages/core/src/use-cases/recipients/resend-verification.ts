import { err, ok } from "neverthrow";
import type { RateLimited } from "../../errors.ts";
import type { Secrets, VerificationMail } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import {
  type ChangeRecipientError,
  type ChangeRecipientPorts,
  changeRecipient,
  type RecipientTarget,
  recipientTarget,
} from "../shared/change-recipient.ts";
import { type Operation, operation } from "../shared/operation.ts";
import { sendVerification, type VerificationSent } from "../shared/send-verification.ts";

export type ResendVerificationCommand = RecipientTarget;

export type ResendVerificationError = InvalidRequest | RateLimited | ChangeRecipientError;

export type VerificationResent = {
  readonly recipient: Recipient;
  readonly verification: VerificationSent | "not_needed";
};

/**
 * Sends a new verification link; earlier links stop working. A recipient gets at most one message per minute and five
 * in 24 hours. Sends nothing if the recipient is already verified.
 *
 * @example
 * ```ts
 * const resent = await service.resendVerification({ account, recipientId });
 * ```
 */
export const resendVerification = ({
  secrets,
  verificationMail,
  ...ports
}: ChangeRecipientPorts & {
  readonly secrets: Pick<Secrets, "nonce" | "seal">;
  readonly verificationMail: VerificationMail;
}): Operation<ResendVerificationCommand, VerificationResent, ResendVerificationError> =>
  operation(recipientTarget, async (target) => {
    const renewed = await changeRecipient(ports, target, (recipient, now) =>
      recipient.verifiedAt === null ? Recipient.renewLink(recipient, secrets.nonce(), now) : ok(recipient),
    );
    if (renewed.isErr()) return err(renewed.error);
    const recipient = renewed.value;
    if (recipient.verifiedAt !== null) return ok({ recipient, verification: "not_needed" });
    return ok({ recipient, verification: await sendVerification({ secrets, verificationMail }, recipient) });
  });
