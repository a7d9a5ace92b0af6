import { ok } from "neverthrow";
import type { Recipients, Secrets, VerificationMail } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { changeRecipient } from "./change-recipient.ts";
import { begin } from "./deadline.ts";
import { type LedgerPorts, type MessageCharge, refundMessage } from "./message-charge.ts";

/** How long a verification link is valid, in milliseconds: 24 hours. */
export const LINK_LIFETIME = 24 * 60 * 60 * 1000;

/** Whether the message was handed over for sending. */
export type VerificationSent = "sent" | "not_sent";

export type SendVerificationPorts = LedgerPorts & {
  readonly recipients: Pick<Recipients, "find" | "save">;
  readonly secrets: Pick<Secrets, "seal">;
  readonly verificationMail: VerificationMail;
};

/**
 * Sends the recipient's newest link and records that it was sent. The message must have been charged; the charge is
 * refunded if it was certainly not sent. Sending has a deadline of its own, and what follows begins another.
 */
export const sendVerification = async (
  { verificationMail, ...ports }: SendVerificationPorts,
  recipient: Recipient,
  charge: MessageCharge,
): Promise<{ readonly recipient: Recipient; readonly verification: VerificationSent }> => {
  const { account, id: recipientId, nonce, email } = recipient;
  const { mailbox, at } = charge;
  const expiresAt = at + LINK_LIFETIME;
  const token = ports.secrets.seal({ account, recipientId, nonce, mailbox, expiresAt });
  const sent = await verificationMail.send({ account, to: email, token });
  const timeLeft = begin(ports);
  if (sent.isErr()) {
    if (sent.error.code === "not_sent") await refundMessage(ports, timeLeft, charge);
    return { recipient, verification: "not_sent" };
  }
  const recorded = await changeRecipient(ports, timeLeft, { account, recipientId }, (current, now) =>
    ok(Recipient.verificationSent(current, nonce, now)),
  );
  if (recorded.isErr() && recorded.error.code === "unavailable") ports.onUnreported?.(recorded.error);
  return { recipient: recorded.unwrapOr(recipient), verification: "sent" };
};
