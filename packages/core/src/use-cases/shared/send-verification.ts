import type { Secrets, VerificationMail } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";

/** How long a verification link is valid, in milliseconds: 24 hours. */
export const LINK_LIFETIME = 24 * 60 * 60 * 1000;

/** Whether the message was handed over for sending. */
export type VerificationSent = "sent" | "not_sent";

export const sendVerification = async (
  {
    secrets,
    verificationMail,
  }: { readonly secrets: Pick<Secrets, "seal">; readonly verificationMail: VerificationMail },
  { account, id: recipientId, nonce, email, updatedAt }: Recipient,
): Promise<VerificationSent> => {
  const token = secrets.seal({ account, recipientId, nonce, expiresAt: updatedAt + LINK_LIFETIME });
  const sent = await verificationMail.send({ to: email, token });
  return sent.isOk() ? "sent" : "not_sent";
};
