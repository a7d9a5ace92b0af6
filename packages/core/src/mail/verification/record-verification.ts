import { err, ok } from "neverthrow";
import { begin } from "../../operation/deadline.ts";
import type { RetryPorts } from "../../operation/retry-on-conflict.ts";
import type { PortResult } from "../../ports/port-result.ts";
import { changeRecipient } from "../../recipient/change-recipient.ts";
import { Recipient } from "../../recipient/recipient.ts";
import type { Recipients } from "../../recipient/recipients.ts";
import type { UncountedOutcome } from "../copy/copy.ts";

type VerificationOutcome = Extract<UncountedOutcome, { readonly verification: unknown }>;

const after = (
  recipient: Recipient,
  { verification: { nonce }, expired, event }: VerificationOutcome,
  now: number,
): Recipient => {
  switch (event.outcome) {
    case "sent":
      return Recipient.verificationSent(recipient, nonce, now, event.at);
    case "bounced":
      return Recipient.verificationFailed(recipient, nonce, expired ? "expired" : "refused", now);
    case "delivered":
      // It may not be known yet that the relay had accepted it.
      return recipient.verificationSentAt === null
        ? Recipient.verificationSent(recipient, nonce, now, event.at)
        : recipient;
    case "complaint":
    case "blocked":
    case "replied":
      return recipient;
  }
};

/**
 * Records for a recipient what happened to its verification message. Nothing changes if the recipient is gone, or has been sent a newer
 * link. Can be repeated.
 */
export const recordVerification =
  (ports: RetryPorts & { readonly recipients: Pick<Recipients, "find" | "save"> }) =>
  async (outcome: VerificationOutcome): PortResult<void> => {
    const { account, recipient: recipientId } = outcome.verification;
    const recorded = await changeRecipient(ports, begin(ports), { account, recipientId }, (recipient, now) =>
      ok(after(recipient, outcome, now)),
    );
    return recorded.isErr() && recorded.error.code === "unavailable" ? err(recorded.error) : ok();
  };
