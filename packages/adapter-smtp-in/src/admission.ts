import { EmailAddress, err, parseEmailAddress, type Result } from "@postern/core";
import {
  type AdmittedRecipient,
  copyOfBounceAddress,
  type MailPlane,
  type MailTransaction,
} from "@postern/mail";
import { asSent, isForLater, needsSmtpUtf8 } from "@postern/mail-in";
import { rateLimit } from "./rate-limit.ts";
import type { Refusal } from "./replies.ts";

/** The part of a connection's state that is about whom it may send mail to. */
export type Sender = {
  readonly network: string;
  /** Whether it can be a relay of the operator's own. */
  readonly isLocal: boolean;
  /** How many recipients it named that do not exist, or accept no mail. */
  refused: number;
  /** Undefined before the first one. */
  transaction: MailTransaction | undefined;
  /** The recipients of the message to come. */
  recipients: AdmittedRecipient[];
  /** The mailboxes for which the message to come has been counted, each with how to undo that. */
  readonly mailboxes: Map<string, () => void>;
  /** Whether it has been counted for the network. */
  isCounted: boolean;
};

/** A local part of 64 octets and a domain of 255 (RFC 5321, section 4.5.3.1). SPF repeats it as often as a record says. */
const MAX_SENDER_LENGTH = 64 + 1 + 255;

const OVER_LIMIT = { code: "network_over_limit" } as const;

const isBounceAddress = (address: string): boolean =>
  parseEmailAddress(address).match(copyOfBounceAddress, () => null) !== null;

/** Whether mail to this recipient was recorded as blocked, whether a message comes or not. */
const isRecorded = (admitted: Result<AdmittedRecipient, Refusal>): boolean =>
  admitted.match(
    (recipient) => recipient.kind === "discard",
    ({ code }) => code === "recipient_inactive",
  );

const isRefused = (admitted: Result<AdmittedRecipient, Refusal>): boolean =>
  isRecorded(admitted) || (admitted.isErr() && !isForLater(admitted.error));

/**
 * Decides whom clients may send mail to: the mail plane does, unless they have used up what their network or the mailbox has for a minute.
 * Then nothing is asked of the store or written to it.
 *
 * A relay of the operator's own reports what became of mail, and can do so for each message that was sent. So messages with the null sender
 * from this machine or a private network count only once they are for something else than a copy that was sent.
 */
export const admission = ({
  plane,
  messagesPerMinute,
  recipients: mostRecipients,
  refusedRecipients,
}: {
  readonly plane: Pick<MailPlane, "beginTransaction" | "admitRecipient">;
  /** As in `SmtpInSettings`. */
  readonly messagesPerMinute: number;
  /** Of a message. */
  readonly recipients: number;
  /** Of a connection. */
  readonly refusedRecipients: number;
}) => {
  const commands = rateLimit(100 * messagesPerMinute);
  const messages = rateLimit(messagesPerMinute);
  const refusals = rateLimit(Math.ceil(messagesPerMinute / 10));
  const messagesTo = rateLimit(messagesPerMinute);

  const countMessage = (sender: Sender): Refusal | null => {
    sender.isCounted = true;
    return messages(sender.network) === null ? OVER_LIMIT : null;
  };

  /** Asks for a recipient, which counts for the network if it is refused. */
  const ask = async (sender: Sender, address: string): Promise<Result<AdmittedRecipient, Refusal>> => {
    // Before it is known: connections can ask at the same time.
    const uncount = refusals(sender.network);
    if (uncount === null && !(sender.isLocal && isBounceAddress(address))) return err(OVER_LIMIT);
    const admitted = await plane.admitRecipient(address, sender.transaction);
    if (isRefused(admitted)) return uncount === null ? err(OVER_LIMIT) : admitted;
    uncount?.();
    return admitted;
  };

  /** No message came. Otherwise mailboxes could be used up by naming them. */
  const abandon = ({ mailboxes }: Pick<Sender, "mailboxes">): void => {
    for (const uncount of mailboxes.values()) uncount();
    mailboxes.clear();
  };

  return {
    /** Whether the client may send another command. */
    countCommand: ({ network }: Pick<Sender, "network">): boolean => commands(network) !== null,

    /** Begins a transaction. Returns why it is refused; null if it is not. */
    begin: (sender: Sender, returnPath: string, isUtf8: boolean): Refusal | null => {
      abandon(sender);
      sender.transaction = plane.beginTransaction();
      sender.recipients = [];
      sender.isCounted = false;
      if (isUtf8 || needsSmtpUtf8(returnPath)) return { code: "smtputf8_not_supported" };
      if (returnPath.length > MAX_SENDER_LENGTH) return { code: "sender_too_long" };
      return returnPath === "" && sender.isLocal ? null : countMessage(sender);
    },

    /** Admits a recipient of the transaction, unless there is a reason not to. */
    admit: async (sender: Sender, given: string): Promise<Refusal | null> => {
      if (needsSmtpUtf8(given)) return { code: "smtputf8_not_supported" };
      if (sender.recipients.length >= mostRecipients) return { code: "too_many_recipients" };
      const address = asSent(given);
      const mailbox = parseEmailAddress(address).match(EmailAddress.mailbox, () => address.toLowerCase());
      const counted = sender.mailboxes.get(mailbox);
      const uncount = counted ?? messagesTo(mailbox);
      if (uncount === null) return { code: "mailbox_over_limit" };
      const admitted = await ask(sender, address);
      if (isRecorded(admitted)) sender.mailboxes.set(mailbox, () => {});
      else if (admitted.isOk()) sender.mailboxes.set(mailbox, uncount);
      else if (counted === undefined) uncount();
      if (admitted.isErr()) {
        const { error } = admitted;
        if (!isForLater(error)) sender.refused += 1;
        // A client that asks for many addresses is looking for some that exist.
        return sender.refused > refusedRecipients ? { code: "too_many_refused_recipients" } : error;
      }
      const recipient = admitted.value;
      sender.recipients.push(recipient);
      return sender.isCounted || recipient.kind === "report" ? null : countMessage(sender);
    },

    /** A message comes. */
    send: ({ mailboxes }: Sender): void => mailboxes.clear(),
    abandon,
  };
};
