import { err, type MessageId, ok, type Result } from "@postern/core";
import type { AdmittedRecipient, MailPlane, ReportResult, Spool } from "@postern/mail";
import {
  type ArrivalRefusal,
  asSent,
  type ForLater,
  isForLater,
  type Lookup,
  messageReceiver,
  needsSmtpUtf8,
} from "@postern/mail-in";
import type { QueuedEvent } from "../sqs-batch.ts";
import { authenticatedBySes } from "./ses-authentication.ts";
import { readSesNotification, type SesNotification } from "./ses-notification.ts";
import { type BucketLocation, storedMessages } from "./stored-messages.ts";

export type SesInboundPorts = {
  /** The use cases that receive mail. */
  readonly plane: Pick<
    MailPlane,
    "beginTransaction" | "hasArrived" | "admitRecipient" | "admitAnswer" | "receiveMessage" | "recordReport"
  >;
  /** Takes in the bodies. It must be the spool of the plane. */
  readonly spool: Pick<Spool, "receive">;
  /** The bucket in which SES stores mail. No other is read, whatever a notification says. */
  readonly bucket: BucketLocation;
  /** The name of this server, as which it checks signatures. */
  readonly name: string;
  /** Looks up DNS records, for replies only: `cachingResolver` of `@postern/mail-in`. */
  readonly lookup: Lookup;
  /** Told what became of each notification, for the log and metrics. Ignored by default. */
  readonly onEvent?: ((event: SesArrivalRead) => void) | undefined;
  /** Told what became of each report among the messages. Ignored by default. */
  readonly onReport?: ((result: ReportResult) => void) | undefined;
};

/** Why a message, or one of its recipients, is discarded. */
export type SesRefusal = Exclude<ArrivalRefusal, ForLater<ArrivalRefusal>>["code"] | "virus" | "no_smtputf8";

/**
 * What became of a message that need not stay in the queue. Its object is deleted.
 *
 * - `accepted`: it is stored durably with all its copies, or was a report. `message` is the result of `MailPlane.receiveMessage`.
 * - `discarded`: it is refused for good. Nobody tells the sender.
 * - `duplicate`: it had been forwarded before.
 * - `gone`: there is no object. It had been taken in, or somebody else has deleted it.
 * - `nothing`: the notification is about no message.
 */
export type SesArrivalResult =
  | { readonly code: "accepted"; readonly message: MessageId | null }
  | { readonly code: "discarded"; readonly reason: SesRefusal }
  | { readonly code: "duplicate" | "gone" | "nothing" };

/** Why a message stays in the queue. `reason` and `cause` are for the operator, and contain nothing of the notification. */
export type SesArrivalFailure =
  | { readonly code: "unreadable"; readonly reason: string }
  | ForLater<ArrivalRefusal>;

/** What became of the message that this message of SQS is about. */
export type SesArrivalRead = {
  /** SQS's id of the message. */
  readonly messageId: string;
  /** Why some of the recipients get nothing, although others may. */
  readonly refused: readonly SesRefusal[];
  readonly result: Result<SesArrivalResult, SesArrivalFailure>;
};

/** Takes the messages of one batch. Never rejects. A message with an error must stay in the queue. */
export type SesInbound = (batch: readonly QueuedEvent[]) => Promise<readonly SesArrivalRead[]>;

/** The largest message that SES stores in S3, in octets. */
const MAX_SIZE = 40 * 1024 * 1024;

/** The recipients of a message that are admitted, and why the others are not. */
type Admission = { readonly admitted: readonly AdmittedRecipient[]; readonly refused: readonly SesRefusal[] };

/**
 * Takes in mail that SES has received: the S3 action of a receipt rule stores a message, and its notification comes through a queue. What
 * becomes of it is as with `smtpIn` of `@postern/adapter-smtp-in`, except that SES has accepted the message already:
 *
 * - What is refused for good is discarded, as is what contains a virus: its sender is told nothing, since most such senders are forged. It
 *   counts as blocked where it would otherwise. SES's verdict on spam is ignored.
 * - What cannot be accepted now stays in the queue: until the store, the spool and, for a reply, the name servers work, and until there is
 *   room for each of its recipients.
 * - Replies must be signed by the domain in `From` (`authenticatedBySes`). There are no limits per minute.
 *
 * The object is deleted last. A message whose notification comes again, however late and wherever the first time ended, is not forwarded
 * again, for 35 days and as long as the secrets stay the same. Only if the process ended before the object was deleted, or if the same
 * notification comes twice at the same time, can this happen twice: an alias that accepts a limited number of messages counts one more, and
 * the log of an alias shows a blocked message as two.
 *
 * Only one receipt rule may store messages in the bucket, without encrypting them itself. It needs the rights `s3:GetObject` and
 * `s3:DeleteObject` for the objects, and `s3:ListBucket`, without which S3 does not say that an object is gone.
 */
export const sesInbound = ({
  plane,
  spool,
  bucket,
  name,
  lookup,
  onEvent = () => {},
  onReport = () => {},
}: SesInboundPorts): SesInbound => {
  const stored = storedMessages(bucket);
  const receive = messageReceiver({ plane, spool, maxMessageSize: MAX_SIZE, onReport });

  type Transaction = ReturnType<typeof plane.beginTransaction>;
  type Taken = SesArrivalRead["result"];

  const admit = async (
    recipients: readonly string[],
    transaction: Transaction,
  ): Promise<Result<Admission, ForLater<ArrivalRefusal>>> => {
    const admitted: AdmittedRecipient[] = [];
    const refused: SesRefusal[] = [];
    for (const recipient of recipients) {
      const each = needsSmtpUtf8(recipient)
        ? err({ code: "no_smtputf8" } as const)
        : await plane.admitRecipient(asSent(recipient), transaction);
      if (each.isOk()) admitted.push(each.value);
      else if (isForLater(each.error)) return err(each.error);
      else refused.push(each.error.code);
    }
    return ok({ admitted, refused });
  };

  /** `result`, once the object is deleted. */
  const done = async (key: string, result: SesArrivalResult): Promise<Taken> =>
    (await stored.remove(key)).map(() => result);

  const takeIn = async (
    { source, key, verdicts }: SesNotification,
    { admitted, refused }: Admission,
    transaction: Transaction,
  ): Promise<Taken> => {
    const discard = (reason: SesRefusal) => done(key, { code: "discarded", reason });
    const [reason] = refused;
    if (admitted.length === 0 && reason !== undefined) return discard(reason);
    const octets = await stored.read(key);
    if (octets.isErr()) return err(octets.error);
    if (octets.value === null) return ok({ code: "gone" });
    const isReply = admitted.some(({ kind }) => kind === "contact" || kind === "unsubscription");
    const received = await receive(octets.value, {
      session: null,
      returnPath: asSent(source),
      recipients: admitted,
      transaction,
      check: (message) => authenticatedBySes(message, { isReply, said: verdicts, name, lookup }),
    });
    if (received.isOk()) return done(key, { code: "accepted", message: received.value });
    return isForLater(received.error) ? err(received.error) : discard(received.error.code);
  };

  const take = async (body: string): Promise<Omit<SesArrivalRead, "messageId">> => {
    const none: readonly SesRefusal[] = [];
    const without = (result: Taken) => ({ refused: none, result });
    const read = readSesNotification(body);
    if (read.isErr()) return without(err({ code: "unreadable", reason: read.error }));
    const notification = read.value;
    if (notification === null) return without(ok({ code: "nothing" }));
    const { key, source, recipients, verdicts } = notification;
    if (notification.bucket !== bucket.bucket)
      return without(err({ code: "unreadable", reason: "its bucket is not the one that is configured" }));
    const discard = async (reason: SesRefusal) => without(await done(key, { code: "discarded", reason }));
    if (verdicts.virus === "FAIL") return discard("virus");
    if (needsSmtpUtf8(source)) return discard("no_smtputf8");

    const transaction = plane.beginTransaction(key);
    const known = await plane.hasArrived(transaction);
    if (known.isErr()) return without(err(known.error));
    if (known.value) return without(await done(key, { code: "duplicate" }));
    const admission = await admit(recipients, transaction);
    if (admission.isErr()) return without(err(admission.error));
    const result = await takeIn(notification, admission.value, transaction);
    return { refused: admission.value.refused, result };
  };

  return (batch) =>
    Promise.all(
      batch.map(async ({ messageId, body }) => {
        // What takes a message in rejects only because of a defect.
        const taken = await take(body).catch(() => ({
          refused: [],
          result: err({ code: "unavailable" } as const),
        }));
        const arrival: SesArrivalRead = { messageId, ...taken };
        onEvent(arrival);
        return arrival;
      }),
    );
};
