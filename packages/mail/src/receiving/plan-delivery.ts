import { type AliasState, EmailAddress, isNonEmpty, type PortResult } from "@postern/core";
import { type Blocked, begin, requireAccepting, resolveAlias } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { Copy } from "../copy/copy.ts";
import type { AliasAddress, NamedContact } from "../copy/purpose.ts";
import type { HeaderField } from "../header/header-fields.ts";
import type { MailTransaction } from "../message/mail-transaction.ts";
import type { Alignment, ReceivedMessage } from "../message/message.ts";
import type { OwnMailing } from "../spool.ts";
import type { AnsweredAuthor } from "./admit-answer.ts";
import type { AdmittedRecipient, RecipientRefusal } from "./admit-recipient.ts";
import type { Unsubscription } from "./admit-unsubscription.ts";
import { ALIAS_STOPPED } from "./alias-stopped.ts";
import { type PreparedReply, prepareReply } from "./prepare-reply.ts";
import { prepareUnsubscriptions } from "./prepare-unsubscriptions.ts";
import { type RecordedCorrespondents, recordCorrespondents } from "./record-correspondents.ts";
import type { ReplyRefusal } from "./reply-admission.ts";

/** A recipient of a message that has arrived. */
export type ForwardedTo =
  | Extract<AdmittedRecipient, { readonly kind: "alias" | "contact" | "unsubscription" | "postmaster" }>
  | AnsweredAuthor;

/** The parts of an arrived message that matter for where it goes. */
export type Arrived = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  /** The fields of `header`. */
  readonly fields: readonly HeaderField[];
  readonly alignment: Alignment;
  readonly transaction: MailTransaction;
};

/** The part of a message that concerns one alias. */
type Delivery = {
  readonly alias: AliasAddress;
  /** Whether the alias itself is among the recipients. */
  isForwarded: boolean;
  /** The tag in the first of its addresses that is among them; null without one. */
  tag: string | null;
  /** The recipients of the alias to whom the message is an answer (`EmailAddress.key`). It is only for them if it is not forwarded. */
  readonly authors: Set<string>;
  /** The contacts of the alias that are among the recipients. */
  readonly contacts: Map<string, NamedContact>;
  /** From which lists it is to be unsubscribed. */
  readonly unsubscriptions: Map<string, Unsubscription>;
};

/** A copy that has yet to be made. */
export type Addressed = Pick<Copy, "to" | "purpose">;

/** What happens to a message as far as it concerns one alias. */
export type DeliveryPlan = {
  readonly alias: AliasAddress;
  readonly forwarded: readonly Addressed[];
  readonly reply: PreparedReply | null;
  readonly unsubscriptions: readonly OwnMailing[];
  /** Why the alias accepts no mail from its author; null if it does. */
  readonly blocked: Blocked | null;
  /** Whether the message counts toward the limited number that the alias accepts. */
  readonly isCounted: boolean;
};

/** The parts of a message to these recipients that concern each alias, one part per alias. */
export const deliveriesOf = (recipients: readonly ForwardedTo[]): readonly Delivery[] => {
  const deliveries = new Map<string, Delivery>();
  for (const recipient of recipients) {
    if (recipient.kind === "postmaster") continue;
    const { alias } = recipient;
    const key = JSON.stringify([alias.account, alias.id]);
    const delivery = deliveries.get(key) ?? {
      alias,
      isForwarded: false,
      tag: null,
      authors: new Set(),
      contacts: new Map(),
      unsubscriptions: new Map(),
    };
    deliveries.set(key, delivery);
    switch (recipient.kind) {
      case "alias":
        if (!delivery.isForwarded) delivery.tag = recipient.tag;
        delivery.isForwarded = true;
        break;
      case "author":
        delivery.authors.add(EmailAddress.key(recipient.author));
        break;
      case "contact":
        delivery.contacts.set(recipient.contact.id, recipient.contact);
        break;
      case "unsubscription":
        delivery.unsubscriptions.set(recipient.from, recipient);
    }
  }
  return [...deliveries.values()];
};

/** Whether the message is mail to the alias itself, for all or some of its recipients. */
export const isToAlias = ({ isForwarded, authors }: Delivery): boolean => isForwarded || authors.size > 0;

/**
 * Decides what happens to a message as far as it concerns one alias, based on the current state of the alias. If one of its recipients also
 * writes to its contacts, the message goes to the other recipients whatever the rules and blocks say, and does not count.
 */
export const planDelivery = (context: MailContext) => {
  const resolve = resolveAlias(context);
  const record = recordCorrespondents(context);
  const reply = prepareReply(context);
  const unsubscribe = prepareUnsubscriptions(context);

  const resolveNow = async ({ email }: AliasAddress): PortResult<AliasState> => {
    const resolved = await resolve({ address: email });
    if (resolved.isOk()) return ok(resolved.value.alias);
    return err(resolved.error.code === "unavailable" ? resolved.error : ALIAS_STOPPED);
  };

  const meetNow = async (address: AliasAddress, mail: Arrived): PortResult<RecordedCorrespondents> => {
    const met = await record(address, mail);
    if (met.isErr()) return err(met.error);
    const accepting = await requireAccepting(context, begin(context), met.value.alias);
    if (accepting.isOk()) return met;
    return err(accepting.error.code === "unavailable" ? accepting.error : ALIAS_STOPPED);
  };

  return async (
    { alias: address, isForwarded, tag, authors, contacts, unsubscriptions: lists }: Delivery,
    mail: Arrived,
  ): PortResult<DeliveryPlan, ReplyRefusal | RecipientRefusal> => {
    // The alias is read with what else decides about the message, unless that has to be decided first.
    const isOnlyForwarded = isForwarded && contacts.size + lists.size === 0;
    const met = isOnlyForwarded ? await meetNow(address, mail) : null;
    const found = met === null ? await resolveNow(address) : met.map(({ alias }) => alias);
    if (found.isErr()) return err(found.error);
    const alias = found.value;
    const recipients = alias.destinations.filter(
      ({ email }) => isForwarded || authors.has(EmailAddress.key(email)),
    );
    if (authors.size > 0 && recipients.length === 0) return err({ code: "recipient_not_found" });
    const to = [...contacts.values()];
    const answered = isNonEmpty(to) ? await reply(alias, to, mail) : ok(null);
    if (answered.isErr()) return err(answered.error);
    const unsubscriptions = lists.size > 0 ? unsubscribe(alias, [...lists.values()], mail) : ok([]);
    if (unsubscriptions.isErr()) return err(unsubscriptions.error);
    const isReply = answered.value !== null;
    const nothing = {
      alias: address,
      forwarded: [],
      reply: answered.value,
      unsubscriptions: unsubscriptions.value,
      blocked: null,
      isCounted: false,
    };
    // Somebody who replies to all also replies to the alias, and needs no copy.
    const others = recipients.filter(({ email }) => email !== answered.value?.author);
    if (others.length === 0) return ok(nothing);
    // This includes the author of a reply, so that the other recipients can answer it through the alias.
    const recorded = met ?? (await record(address, mail));
    if (recorded.isErr()) return err(recorded.error);
    const { contacts: named, blocked } = recorded.value;
    if (blocked !== null && !isReply) return ok({ ...nothing, blocked });
    const forwarded = others.map(
      ({ email, recipientId }): Addressed => ({
        to: email,
        purpose: {
          kind: "forward",
          alias: address,
          tag,
          recipient: recipientId,
          contacts: named,
          isAnswer: !isForwarded,
        },
      }),
    );
    return ok({ ...nothing, forwarded, isCounted: !isReply && alias.rules.messagesLeft !== null });
  };
};
