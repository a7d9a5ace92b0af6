import {
  type CopyId,
  type Domain,
  EmailAddress,
  isReverseAddress,
  type PortResult,
  parseDomain,
  parseEmailAddress,
  type SpoolMark,
} from "@postern/core";
import { endAlias, markOfSpool, resolveAlias, resolveContact } from "@postern/core/operations";
import type { AliasKey } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import { type AliasAddress, aliasAddress, type NamedContact } from "../copy/purpose.ts";
import { otherSpool } from "../delivery-reports/hand-over.ts";
import { copyOfBounceAddress } from "../message/bounce-address.ts";
import { beginTransaction } from "../message/mail-transaction.ts";
import { NO_SUMMARY } from "../message/message-summary.ts";
import { referenceOfUnsubscribeAddress, spoolOfUnsubscribeAddress } from "../message/unsubscription.ts";
import { sendEndNotice } from "../notices/send-end-notice.ts";
import { admitUnsubscription, type Unsubscription } from "./admit-unsubscription.ts";
import { recordBlocked } from "./record-blocked.ts";

/** Where mail to an address goes. */
export type AdmittedRecipient =
  /** `tag` is that of `resolveAlias`: `news` for `shop+news@…`. */
  | { readonly kind: "alias"; readonly alias: AliasAddress; readonly tag: string | null }
  /** From one of the recipients of the alias, to one of its contacts. */
  | { readonly kind: "contact"; readonly alias: AliasAddress; readonly contact: NamedContact }
  | Unsubscription
  /** To the operator. `address` is where it was sent. */
  | { readonly kind: "postmaster"; readonly address: EmailAddress }
  /**
   * Reports about a copy that we sent, or to the sender of the verification messages (null); see `admitAnswer` for anything else that comes
   * there. `address` is where it was sent. `elsewhere` is the spool of the server that sent the copy, if another one did; otherwise null.
   */
  | {
      readonly kind: "report";
      readonly copy: CopyId | null;
      readonly elsewhere: SpoolMark | null;
      readonly address: EmailAddress;
    }
  /** To an alias that is switched off: counted as `blocked`, accepted and discarded. */
  | { readonly kind: "discard" };

/** Why mail to an address is refused. `code` is stable. */
export type RecipientRefusal =
  /** This service does not receive the mail of the domain. */
  | { readonly code: "not_an_alias_domain" }
  /** There is no such alias, or it is deleted; or no such copy or contact. */
  | { readonly code: "recipient_not_found" }
  /** The alias is switched off or has ended, or its account is suspended. */
  | { readonly code: "recipient_inactive" }
  /** Only the server that forwarded the message from a list can unsubscribe from it. It may be reached the next time. */
  | { readonly code: "elsewhere" }
  /** The message from a list that is to be unsubscribed from is no longer remembered. */
  | { readonly code: "message_forgotten" }
  /** Too much mail of the account waits to be sent. It can be sent again later. */
  | { readonly code: "account_full" };

/** Names on each alias domain whose mail is for the operator (RFC 5321, section 4.5.1; RFC 2142). */
const OPERATOR = ["postmaster", "abuse"];

/**
 * Decides whether to admit one recipient of a message (RCPT), given the address in the envelope, or `postmaster` without a domain. Fails
 * with `unavailable` if it was not possible to decide, or to count the decision: the client can try again.
 *
 * An alias with an address of the forms that Postern makes, from before these were reserved, still gets its mail. Mail to an alias
 * that is switched off counts as `blocked` and is logged, once per transaction no matter how often the alias is named in it, even though
 * only the recipient is known at that point. The first message after the alias has ended switches it off and notifies its recipients.
 */
export const admitRecipient = (context: MailContext) => {
  const { aliasDomains, verificationSender: sink, inactive, spool, onUnreported } = context;
  const resolve = resolveAlias(context);
  const resolveReverse = resolveContact(context);
  const block = recordBlocked(context);
  const endNow = endAlias(context);
  const unsubscription = admitUnsubscription(context);
  const notifyEnd = sendEndNotice(context);

  /** If it fails, that is reported, and the next message to the alias tries again. */
  const end = async (alias: AliasKey): Promise<void> => {
    const ended = await endNow(alias);
    if (ended.isErr()) onUnreported(ended.error);
    else if (ended.value !== null) await notifyEnd(ended.value, "its time is over");
  };

  /** Admits the recipient, if there is room for its mail. */
  const ifRoom = async (
    account: string,
    recipient: AdmittedRecipient,
  ): PortResult<AdmittedRecipient, RecipientRefusal> => {
    const hasRoom = await spool.hasRoom(account);
    if (hasRoom.isErr()) return err(hasRoom.error);
    return hasRoom.value ? ok(recipient) : err({ code: "account_full" });
  };

  /** Mail to a reverse address. It is not counted if it is refused: its sender is one of the alias's own recipients. */
  const admitContact = async (email: EmailAddress): PortResult<AdmittedRecipient, RecipientRefusal> => {
    const resolved = await resolveReverse(email);
    if (resolved.isOk()) {
      const { alias, contact } = resolved.value;
      return ifRoom(alias.account, {
        kind: "contact",
        alias: aliasAddress(alias),
        contact: { id: contact.id, email: contact.email },
      });
    }
    const failure = resolved.error;
    switch (failure.code) {
      case "unavailable":
        return err(failure);
      case "alias_inactive":
      case "account_suspended":
        return err({ code: "recipient_inactive" });
      case "contact_not_found":
      case "alias_not_found":
      case "alias_deleted":
        return err({ code: "recipient_not_found" });
    }
  };

  /** Mail to the address that stands for that of a list. As with replies, it is not counted if it is refused. */
  const admitToList = async (email: EmailAddress): PortResult<AdmittedRecipient, RecipientRefusal> => {
    const found = await unsubscription(email);
    if (found.isErr()) return err(found.error);
    if (found.value === null) {
      const mark = spoolOfUnsubscribeAddress(email);
      const isHere = mark === null || mark === markOfSpool(spool.id);
      return err({ code: isHere ? "message_forgotten" : "elsewhere" });
    }
    const resolved = await resolve({ address: found.value.alias.email });
    if (resolved.isOk()) return ok(found.value);
    const { error } = resolved;
    if (error.code === "unavailable") return err(error);
    const isInactive = error.code === "alias_inactive" || error.code === "account_suspended";
    return err({ code: isInactive ? "recipient_inactive" : "recipient_not_found" });
  };

  return async (
    address: string,
    transaction = beginTransaction(context),
  ): PortResult<AdmittedRecipient, RecipientRefusal> => {
    const [defaultDomain] = aliasDomains;
    const parsed = parseEmailAddress(
      address.toLowerCase() === "postmaster" ? `postmaster@${defaultDomain}` : address,
    );
    const isOurs = (domain: Domain) => aliasDomains.includes(domain);
    if (parsed.isErr()) {
      const here = parseDomain(address.slice(address.lastIndexOf("@") + 1)).match(isOurs, () => false);
      return err({ code: here ? "recipient_not_found" : "not_an_alias_domain" });
    }
    const email = parsed.value;
    if (!isOurs(EmailAddress.domain(email))) return err({ code: "not_an_alias_domain" });
    const untagged = EmailAddress.withoutTag(email)?.address ?? email;
    if (OPERATOR.includes(EmailAddress.localPart(untagged).toLowerCase())) {
      return ifRoom("", { kind: "postmaster", address: email });
    }
    if (sink !== null && EmailAddress.key(email) === EmailAddress.key(sink))
      return ok({ kind: "report", copy: null, elsewhere: null, address: email });

    const copy = copyOfBounceAddress(email);
    if (copy !== null) {
      const found = await spool.find(copy);
      if (found.isErr()) return err(found.error);
      if (found.value !== null) return ok({ kind: "report", copy, elsewhere: null, address: email });
      const elsewhere = otherSpool(context, email);
      if (elsewhere !== null) return ok({ kind: "report", copy, elsewhere, address: email });
    }

    const resolved = await resolve({ address: email });
    if (resolved.isOk()) {
      const { alias, tag } = resolved.value;
      return ifRoom(alias.account, { kind: "alias", alias: aliasAddress(alias), tag });
    }
    const failure = resolved.error;
    switch (failure.code) {
      case "unavailable":
        return err(failure);
      case "alias_inactive":
      case "account_suspended": {
        const alias = { account: failure.account, id: failure.aliasId };
        const recorded = await block([{ alias, reason: failure.code }], NO_SUMMARY, transaction);
        if (recorded.isErr()) return err(recorded.error);
        if (failure.code === "alias_inactive" && failure.isOver) await end(alias);
        return inactive === "discard" ? ok({ kind: "discard" }) : err({ code: "recipient_inactive" });
      }
      case "alias_not_found":
        if (isReverseAddress(email)) return admitContact(email);
        if (referenceOfUnsubscribeAddress(email) !== null) return admitToList(email);
        return err({ code: "recipient_not_found" });
      // Neither of the last two can occur: the address was parsed, and is on an alias domain.
      case "alias_deleted":
      case "invalid_request":
      case "address_not_allowed":
        return err({ code: "recipient_not_found" });
    }
  };
};
