import {
  type EmailAddress,
  isNonEmpty,
  type MessageId,
  type NonEmpty,
  newCopyId,
  type PortResult,
  type Unavailable,
} from "@postern/core";
import { messageCount } from "@postern/core/operations";
import { err, ok, type Result } from "neverthrow";
import type { MailContext } from "../context.ts";
import { Copy } from "../copy/copy.ts";
import { isReport } from "../delivery-reports/delivery-report.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { loopMark } from "../message/loops.ts";
import { beginTransaction, type MailTransaction, storedMessageId } from "../message/mail-transaction.ts";
import { type Alignment, messageSize, type ReceivedMessage } from "../message/message.ts";
import { summaryOf } from "../message/message-summary.ts";
import { readBeginning } from "../message/read-beginning.ts";
import { discardUnlessStored, keepOwn } from "../notices/own-mailing.ts";
import { sendEndNotice } from "../notices/send-end-notice.ts";
import type { ReceivedBody, SpoolFull } from "../spool.ts";
import { admitMessage, type MessageRefusal } from "./admission.ts";
import type { RecipientRefusal } from "./admit-recipient.ts";
import { ALIAS_STOPPED } from "./alias-stopped.ts";
import { isCalendarAnswer } from "./calendar-answer.ts";
import {
  type Addressed,
  type Arrived,
  type DeliveryPlan,
  deliveriesOf,
  type ForwardedTo,
  isToAlias,
  planDelivery,
} from "./plan-delivery.ts";
import type { PreparedReply } from "./prepare-reply.ts";
import { recordBlocked } from "./record-blocked.ts";
import { isAutomatic, type ReplyRefusal } from "./reply-admission.ts";
import { messageRounds } from "./rounds.ts";

/** A message that has arrived, with the recipients that were admitted. */
export type ArrivedMail = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  /** Not kept: it only matters for messages to contacts. */
  readonly alignment: Alignment;
  /** Received by the spool of the mail plane. The caller discards it afterward, which has no effect if it was kept. */
  readonly body: ReceivedBody;
  readonly recipients: NonEmpty<ForwardedTo>;
  /** In which it arrives; one that begins now by default. In the same transaction, the same message is stored once. */
  readonly transaction?: MailTransaction | undefined;
};

const isStored = ({ forwarded, reply, unsubscriptions }: DeliveryPlan): boolean =>
  forwarded.length + unsubscriptions.length > 0 || reply !== null;

/** The aliases that the message is for accept no mail from its author. */
export type SenderBlocked = { readonly code: "sender_blocked" };

/** `answerFrom` of `admitMessage`. */
const answerFrom = ([first, ...others]: ArrivedMail["recipients"]): EmailAddress | null => {
  if (first.kind !== "author") return null;
  const isSame = (other: ForwardedTo) => other.kind === "author" && other.contact === first.contact;
  return others.every(isSame) ? first.contact : null;
};

/**
 * Accepts a message. It is stored with one copy for each recipient of each alias, and one for the operator if it is also for the operator.
 * If it is for contacts of an alias, it is stored for them as a message of its own, with one copy for each (`replyHeader`). If it
 * unsubscribes the alias from a list, a message that does so is stored in its place. An alias or contact that is named several times, with
 * different tags or case, counts once. The recipients are the ones that the aliases have now, except one who has written to contacts of the
 * same alias with this message. An answer (`admitAnswer`) is stored only for those whom it answers.
 *
 * Once it returns an id, everything is stored durably; null means that there was nothing to store. A message that is refused because of
 * DMARC, or whose author is blocked, counts as `blocked` for each alias and is logged there. That happens last, so that it counts once even
 * if the client has to try again. If counting fails after something was stored, that is reported, and the message is accepted. If
 * `receiveMessage` fails with `unavailable`, replies may have been stored, and are sent twice if the client tries again. An alias that
 * accepts a limited number of messages counts only those that are stored, unless the store fails in the meantime.
 *
 * If the message arrives again in a transaction with the same id (`beginTransaction`), nothing is stored or counted as blocked again, but
 * an alias that accepts a limited number of messages counts it again, and so does the log of an alias that blocks it: ask `hasArrived`
 * first.
 */
export const receiveMessage = (context: MailContext) => {
  const { postmaster, dmarc, spool, secrets, clock, onUnreported } = context;
  const block = recordBlocked(context);
  const planFor = planDelivery(context);
  const count = messageCount(context);
  const notifyEnd = sendEndNotice(context);
  const roundOf = messageRounds(context);

  /** Stores a reply with this body or, if the body is needed for something else, with a copy of it. */
  const keepReply = async (
    { message, copies }: PreparedReply,
    body: ReceivedBody,
    isNeeded: boolean,
  ): PortResult<MessageId, SpoolFull> => {
    const own = isNeeded ? await spool.receive(body.read()) : ok(body);
    if (own.isErr()) return err(own.error);
    const size = messageSize(message.header, body.size);
    const mailing = { message: { ...message, size }, body: own.value, copies };
    const kept = await discardUnlessStored(mailing, await spool.keep(mailing));
    return kept.map(() => message.id);
  };

  const keepForwarded = async (
    mail: Arrived,
    body: ReceivedBody,
    addressed: NonEmpty<Addressed>,
  ): PortResult<MessageId, SpoolFull> => {
    const { returnPath, header, session, authentication, transaction } = mail;
    const now = clock.now();
    const id = storedMessageId(transaction, "forwarded", secrets);
    const message: ReceivedMessage = {
      origin: "received",
      id,
      createdAt: now,
      returnPath,
      header,
      size: messageSize(header, body.size),
      session,
      authentication,
    };
    const copy = ({ to, purpose }: Addressed): Copy =>
      Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, now);
    const [first, ...others] = addressed;
    return (await spool.keep({ message, body, copies: [copy(first), ...others.map(copy)] })).map(() => id);
  };

  /** Refuses mail from programs, except answers to invitations. */
  const admitToContact = async (
    { header, fields, returnPath }: Arrived,
    body: ReceivedBody,
  ): PortResult<void, ReplyRefusal> => {
    if (!isAutomatic(fields, returnPath)) return ok();
    if (isReport(fields)) return err({ code: "automatic_mail" });
    const beginning = await readBeginning(body);
    if (beginning.isErr()) return err(beginning.error);
    return isCalendarAnswer(header, fields, beginning.value) ? ok() : err({ code: "automatic_mail" });
  };

  /** Stores everything that results from a message. Returns the id of the last message stored; null if there was nothing to store. */
  const keepAll = async (
    mail: Arrived,
    body: ReceivedBody,
    plans: readonly DeliveryPlan[],
    forOperator: readonly Addressed[],
  ): PortResult<MessageId | null, SpoolFull> => {
    const addressed = [...forOperator, ...plans.flatMap(({ forwarded }) => forwarded)];
    const replies = plans.flatMap(({ reply }) => reply ?? []);
    let kept: MessageId | null = null;
    for (const own of plans.flatMap(({ unsubscriptions }) => unsubscriptions)) {
      const stored = await keepOwn(spool, own);
      if (stored.isErr()) return err(stored.error);
      kept = own.message.id;
    }
    for (const [place, prepared] of replies.entries()) {
      const isNeeded = addressed.length > 0 || place < replies.length - 1;
      const stored: Result<MessageId, SpoolFull | Unavailable> = await keepReply(prepared, body, isNeeded);
      if (stored.isErr()) return err(stored.error);
      kept = stored.value;
    }
    return isNonEmpty(addressed) ? keepForwarded(mail, body, addressed) : ok(kept);
  };

  return async ({
    recipients,
    body,
    transaction = beginTransaction(context),
    ...mail
  }: ArrivedMail): PortResult<
    MessageId | null,
    MessageRefusal | RecipientRefusal | ReplyRefusal | SenderBlocked | SpoolFull
  > => {
    const size = messageSize(mail.header, body.size);
    const deliveries = deliveriesOf(recipients);
    const toAliases = deliveries.filter(isToAlias).map(({ alias }) => alias);
    const toContact = deliveries.some(({ contacts }) => contacts.size > 0);
    const admitted = admitMessage(
      {
        ...mail,
        toAlias: toAliases.length > 0,
        toContact: toContact || deliveries.some(({ unsubscriptions }) => unsubscriptions.size > 0),
        answerFrom: answerFrom(recipients),
      },
      { mark: loopMark(secrets.hash), dmarc },
    );
    if (admitted.isErr()) {
      const { code } = admitted.error;
      if (code === "sender_not_authentic") {
        const summary = summaryOf({ ...mail, fields: HeaderFields.split(mail.header), size }, context);
        const recorded = await block(
          toAliases.map((alias) => ({ alias, reason: code })),
          summary,
          transaction,
        );
        if (recorded.isErr()) return err(recorded.error);
      }
      return err(admitted.error);
    }

    const arrived = { ...mail, fields: admitted.value, transaction };
    if (toContact) {
      const checked = await admitToContact(arrived, body);
      if (checked.isErr()) return err(checked.error);
    }
    const [messageId] = HeaderFields.values(arrived.fields, "message-id");
    const rounds = messageId === undefined ? [] : toAliases.map((alias) => roundOf(messageId, alias));
    if (rounds.some(({ isLoop }) => isLoop)) return err({ code: "mail_loop" });
    const plans: DeliveryPlan[] = [];
    for (const delivery of deliveries) {
      const plan = await planFor(delivery, arrived);
      if (plan.isErr()) return err(plan.error);
      plans.push(plan.value);
    }
    // Since RCPT, many others may have arrived. If the client tries again, it is told about each recipient.
    for (const account of new Set(plans.filter(isStored).map(({ alias }) => alias.account))) {
      const hasRoom = await spool.hasRoom(account);
      if (hasRoom.isErr()) return err(hasRoom.error);
      if (!hasRoom.value) return err({ code: "spool_full" });
    }
    // Only now that nothing can refuse the message anymore.
    const counting = plans.filter(({ isCounted }) => isCounted).map(({ alias }) => alias);
    const counted = await count.take(counting);
    if (counted.isErr()) {
      return err(counted.error.code === "unavailable" ? counted.error : ALIAS_STOPPED);
    }
    const operator = recipients.find((recipient) => recipient.kind === "postmaster");
    const forOperator: readonly Addressed[] =
      operator === undefined
        ? []
        : [{ to: postmaster, purpose: { kind: "postmaster", address: operator.address } }];
    const kept = await keepAll(arrived, body, plans, forOperator);
    if (kept.isErr()) {
      await count.giveBack(counted.value);
      return err(kept.error);
    }
    if (kept.value !== null) for (const round of rounds) round.count();
    for (const alias of counted.value)
      if (!alias.active) await notifyEnd(alias, "its last message has arrived");

    // Only now that the client does not have to try again.
    const blocking = plans.flatMap(({ alias, blocked }) => (blocked === null ? [] : { alias, ...blocked }));
    const recorded = isNonEmpty(blocking)
      ? await block(blocking, summaryOf({ ...arrived, size }, context), transaction)
      : ok();
    if (recorded.isErr()) {
      if (kept.value === null) return err(recorded.error);
      // If the client tried again, the others would get the message twice.
      onUnreported(recorded.error);
    }
    const isRefused = kept.value === null && blocking.some(({ blocking }) => blocking === "reject");
    return isRefused ? err({ code: "sender_blocked" }) : ok(kept.value);
  };
};

/**
 * Whether the message that arrives in the transaction was forwarded before, in one with the same id, as long as that is remembered (35
 * days). Replies are stored earlier, so all of it was stored. A message that was only stored as a reply, or not at all, is not known.
 */
export const hasArrived =
  ({ spool, secrets }: Pick<MailContext, "spool" | "secrets">) =>
  async (transaction: MailTransaction): PortResult<boolean> => {
    const copies = await spool.findAll(storedMessageId(transaction, "forwarded", secrets));
    return copies.map(({ length }) => length > 0);
  };
