import { err, ok } from "neverthrow";
import { begin } from "../operation/deadline.ts";
import type { RetryPorts } from "../operation/retry-on-conflict.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, RecipientId } from "../values/identifiers.ts";
import { changeRecipient } from "./change-recipient.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

/** What became of a verification message, at a time in epoch milliseconds. */
export type VerificationOutcome =
  /** The relay has accepted it. */
  | { readonly kind: "sent"; readonly at: number }
  /** It has arrived. */
  | { readonly kind: "delivered"; readonly at: number }
  /** A server refused it. */
  | { readonly kind: "refused" }
  /** It could not be sent in time. */
  | { readonly kind: "expired" };

/** The link that the message contained: `nonce` is that of the recipient when the link was made. */
export type VerificationLink = {
  readonly account: AccountId;
  readonly recipient: RecipientId;
  readonly nonce: string;
};

const after = (recipient: Recipient, nonce: string, outcome: VerificationOutcome, now: number): Recipient => {
  switch (outcome.kind) {
    case "sent":
      return Recipient.verificationSent(recipient, nonce, now, outcome.at);
    case "delivered":
      // It may not be known yet that the relay had accepted it.
      return recipient.verificationSentAt === null
        ? Recipient.verificationAccepted(recipient, nonce, now, outcome.at)
        : recipient;
    case "refused":
    case "expired":
      return Recipient.verificationFailed(recipient, nonce, outcome.kind, now);
  }
};

/**
 * Records for a recipient what happened to its verification message. Nothing changes if the recipient is gone, or has been sent a newer
 * link. Can be repeated.
 */
export const recordVerification =
  (ports: RetryPorts & { readonly recipients: Pick<Recipients, "find" | "save"> }) =>
  async (
    { account, recipient: recipientId, nonce }: VerificationLink,
    outcome: VerificationOutcome,
  ): PortResult<void> => {
    const recorded = await changeRecipient(ports, begin(ports), { account, recipientId }, (recipient, now) =>
      ok(after(recipient, nonce, outcome, now)),
    );
    return recorded.isErr() && recorded.error.code === "unavailable" ? err(recorded.error) : ok();
  };
