import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import type { InvalidRequest, RateLimited } from "../../errors.ts";
import type { Clock, Recipients, Secrets, VerificationMail } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { type ChangeRecipientError, changeRecipient, RecipientTarget } from "../shared/change-recipient.ts";
import { parse } from "../shared/parse.ts";
import { sendVerification, type VerificationSent } from "../shared/send-verification.ts";

export type ResendVerificationCommand = z.input<typeof RecipientTarget>;

export type ResendVerificationError = InvalidRequest | RateLimited | ChangeRecipientError;

export type VerificationResent = {
  readonly recipient: Recipient;
  readonly verification: VerificationSent | "not_needed";
};

/**
 * Sends a new verification link; the ones before no longer work. At most one message a minute and five in 24 hours go
 * to a recipient. A verified one gets none.
 */
export const resendVerification =
  ({
    recipients,
    clock,
    secrets,
    verificationMail,
  }: {
    recipients: Pick<Recipients, "find" | "save">;
    clock: Clock;
    secrets: Pick<Secrets, "nonce" | "seal">;
    verificationMail: VerificationMail;
  }) =>
  async (input: ResendVerificationCommand): Promise<Result<VerificationResent, ResendVerificationError>> => {
    const target = parse(RecipientTarget, input);
    if (target.isErr()) return err(target.error);
    const renewed = await changeRecipient({ recipients, clock }, target.value, (recipient, now) =>
      recipient.verifiedAt === null ? Recipient.renewLink(recipient, secrets.nonce(), now) : ok(recipient),
    );
    if (renewed.isErr()) return err(renewed.error);
    const recipient = renewed.value;
    if (recipient.verifiedAt !== null) return ok({ recipient, verification: "not_needed" });
    return ok({ recipient, verification: await sendVerification({ secrets, verificationMail }, recipient) });
  };
