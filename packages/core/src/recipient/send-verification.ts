import { err, ok } from "neverthrow";
import type { MailRefused, NotSent, Unavailable } from "../errors.ts";
import { begin } from "../operation/deadline.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import type { Secrets } from "../ports/secrets.ts";
import { changeRecipient } from "./change-recipient.ts";
import { type LedgerPorts, type MessageCharge, refundMessage } from "./message-charge.ts";
import { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";
import type { VerificationMail } from "./verification-mail.ts";

/** How long a verification link is valid, in milliseconds: 24 hours. */
export const LINK_LIFETIME = 24 * 60 * 60 * 1000;

/** Whether the message was handed over for sending, or is waiting for that. */
export type VerificationSent = "sent" | "queued" | "not_sent";

export type SendVerificationPorts = LedgerPorts & {
  readonly recipients: Pick<Recipients, "find" | "save">;
  readonly secrets: Pick<Secrets, "seal">;
  readonly verificationMail: VerificationMail;
};

const isName = (text: unknown): text is string => typeof text === "string" && /^\w{1,40}$/.test(text);

/** The code of an error, or else its name, if that is what it looks like: anything else could contain an address. */
const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "an error";
  const { code, name }: Error & { readonly code?: unknown } = error;
  return [code, name].find(isName) ?? "an error";
};

/** Callers write this port themselves. If it throws, or returns something else, nobody knows whether the message was sent. */
const handOver = async (
  verificationMail: VerificationMail,
  message: Parameters<VerificationMail["send"]>[0],
  onUnreported: OnUnreported = () => {},
): ReturnType<VerificationMail["send"]> => {
  let reason = "send did not return a Result";
  try {
    const sent = await verificationMail.send(message);
    // Not `instanceof`: their `Result` can come from another copy of neverthrow.
    if (typeof sent?.isOk === "function") return sent;
  } catch (error) {
    reason = `send threw ${nameOf(error)}`;
  }
  const failure: Unavailable = { code: "unavailable", cause: { source: "mail", reason } };
  onUnreported(failure);
  return err(failure);
};

/** What is known of the message after this failure; null if nothing is. */
const knownOf = (error: NotSent | MailRefused | Unavailable) => {
  if (error.code === "unavailable") return null;
  return error.code === "mail_refused" && error.permanent ? "refused" : (error.refusal ?? null);
};

/**
 * Sends the recipient's newest link and records that it was sent, is waiting to be sent, or why it will not arrive. The message must have
 * been charged; the charge is refunded if the message was definitely not sent. Sending has a deadline of its own, and what follows begins
 * another.
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
  const sent = await handOver(verificationMail, { account, to: email, token }, ports.onUnreported);
  const timeLeft = begin(ports);
  const record = async (change: (current: Recipient, now: number) => Recipient): Promise<Recipient> => {
    const recorded = await changeRecipient(ports, timeLeft, { account, recipientId }, (current, now) =>
      ok(change(current, now)),
    );
    if (recorded.isErr() && recorded.error.code === "unavailable") ports.onUnreported?.(recorded.error);
    return recorded.unwrapOr(recipient);
  };
  if (sent.isOk()) {
    const verification = verificationMail.queues === true ? "queued" : "sent";
    const change = verification === "queued" ? Recipient.verificationQueued : Recipient.verificationAccepted;
    return { recipient: await record((current, now) => change(current, nonce, now)), verification };
  }
  const { error } = sent;
  if (error.code === "not_sent") await refundMessage(ports, timeLeft, charge);
  const known = knownOf(error);
  return {
    recipient:
      known === null
        ? recipient
        : await record((current, now) => Recipient.verificationFailed(current, nonce, known, now)),
    verification: "not_sent",
  };
};
