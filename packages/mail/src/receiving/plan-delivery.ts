import { type Alias, isNonEmpty, type PortResult, type Unavailable } from "@postern/core";
import { type Blocked, resolveAlias } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { Copy } from "../copy/copy.ts";
import type { AliasAddress, NamedContact } from "../copy/purpose.ts";
import type { HeaderField } from "../header/header-fields.ts";
import type { Alignment, ReceivedMessage } from "../message/message.ts";
import type { AdmittedRecipient } from "./admit-recipient.ts";
import { type PreparedReply, prepareReply } from "./prepare-reply.ts";
import { recordCorrespondents } from "./record-correspondents.ts";
import type { ReplyRefusal } from "./reply-admission.ts";

/** A recipient of a message that has arrived. */
export type ForwardedTo = Extract<AdmittedRecipient, { readonly kind: "alias" | "contact" | "postmaster" }>;

/** The parts of an arrived message that matter for where it goes. */
export type Arrived = Pick<ReceivedMessage, "returnPath" | "header" | "session" | "authentication"> & {
  /** The fields of `header`. */
  readonly fields: readonly HeaderField[];
  readonly alignment: Alignment;
};

/** The part of a message that concerns one alias. */
type Delivery = {
  readonly alias: AliasAddress;
  /** Whether the alias itself is among the recipients. */
  isForwarded: boolean;
  /** The contacts of the alias that are among the recipients. */
  readonly contacts: Map<string, NamedContact>;
};

/** A copy that has yet to be made. */
export type Addressed = Pick<Copy, "to" | "purpose">;

/** What happens to a message as far as it concerns one alias. */
export type DeliveryPlan = {
  readonly alias: AliasAddress;
  readonly forwarded: readonly Addressed[];
  readonly reply: PreparedReply | null;
  /** Why the alias accepts no mail from its author; null if it does. */
  readonly blocked: Blocked | null;
  /** Whether the message counts toward the limited number that the alias accepts. */
  readonly isCounted: boolean;
};

/** An alias stopped accepting mail between RCPT and the end of the message. If the client tries again, it is told about each recipient. */
export const ALIAS_STOPPED: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "an alias stopped accepting mail while the message arrived" },
};

/** The parts of a message to these recipients that concern each alias, one part per alias. */
export const deliveriesOf = (recipients: readonly ForwardedTo[]): readonly Delivery[] => {
  const deliveries = new Map<string, Delivery>();
  for (const recipient of recipients) {
    if (recipient.kind === "postmaster") continue;
    const { alias } = recipient;
    const key = JSON.stringify([alias.account, alias.id]);
    const delivery = deliveries.get(key) ?? { alias, isForwarded: false, contacts: new Map() };
    deliveries.set(key, delivery);
    if (recipient.kind === "alias") delivery.isForwarded = true;
    else delivery.contacts.set(recipient.contact.id, recipient.contact);
  }
  return [...deliveries.values()];
};

/**
 * Decides what happens to a message as far as it concerns one alias, based on the current state of the alias. If one of its recipients also
 * writes to its contacts, the message goes to the other recipients whatever the rules and blocks say, and does not count.
 */
export const planDelivery = (context: MailContext) => {
  const resolve = resolveAlias(context);
  const record = recordCorrespondents(context);
  const reply = prepareReply(context);

  const resolveNow = async ({ email }: AliasAddress): PortResult<Alias> => {
    const resolved = await resolve({ address: email });
    if (resolved.isOk()) return ok(resolved.value.alias);
    return err(resolved.error.code === "unavailable" ? resolved.error : ALIAS_STOPPED);
  };

  return async (
    { alias: address, isForwarded, contacts }: Delivery,
    mail: Arrived,
  ): PortResult<DeliveryPlan, ReplyRefusal> => {
    const resolved = await resolveNow(address);
    if (resolved.isErr()) return err(resolved.error);
    const alias = resolved.value;
    const to = [...contacts.values()];
    const answered = isNonEmpty(to) ? await reply(alias, to, mail) : ok(null);
    if (answered.isErr()) return err(answered.error);
    const isReply = answered.value !== null;
    const nothing = { alias: address, forwarded: [], reply: answered.value, blocked: null, isCounted: false };
    // Somebody who replies to all also replies to the alias, and needs no copy.
    const others = alias.destinations.filter(({ email }) => email !== answered.value?.author);
    if (!isForwarded || others.length === 0) return ok(nothing);
    // This includes the author of a reply, so that the other recipients can answer it through the alias.
    const recorded = await record(alias, mail);
    if (recorded.isErr()) return err(recorded.error);
    const { contacts: named, blocked } = recorded.value;
    if (blocked !== null && !isReply) return ok({ ...nothing, blocked });
    const forwarded = others.map(
      ({ email, recipientId }): Addressed => ({
        to: email,
        purpose: { kind: "forward", alias: address, recipient: recipientId, contacts: named },
      }),
    );
    return ok({ ...nothing, forwarded, isCounted: !isReply && alias.rules.messagesLeft !== null });
  };
};
