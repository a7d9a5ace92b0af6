import { type Concealment, contactAddress, EmailAddress } from "@postern/core";
import type { CopyPurpose } from "../copy/purpose.ts";
import { type NamedMailbox, parseAddressList } from "../header/address-list.ts";
import { addressOf } from "../header/authors.ts";
import { phrase } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { writeField } from "../header/write-field.ts";
import { replyTo } from "../message/correspondents.ts";
import { exchangedIds, exchangedMessageId } from "./concealed-ids.ts";
import { shownName, shownSender } from "./shown-sender.ts";

const NAMED = ["to", "cc"];
const THREAD = ["message-id", "in-reply-to", "references"];

type Forward = Extract<CopyPurpose, { readonly kind: "forward" }>;

/** The reverse addresses of the contacts that the message is from or names, by their own addresses (`EmailAddress.key`). */
export const contactAddresses = ({ alias, contacts }: Forward): ReadonlyMap<EmailAddress, EmailAddress> => {
  const domain = EmailAddress.domain(alias.email);
  return new Map(contacts.map(({ id, email }) => [EmailAddress.key(email), contactAddress(id, domain)]));
};

/** The field with another value, but its name as it was sent. */
const rewritten = (field: HeaderField, value: string): HeaderField =>
  writeField(field.raw.slice(0, field.name.length), value);

/** A mailbox that a message names, with the address by which it is reached through the alias; null if there is none. */
type Named = { readonly mailbox: NamedMailbox; readonly address: EmailAddress | null };

const namedThrough = (purpose: Forward, mailboxes: readonly NamedMailbox[]): readonly Named[] => {
  const alias = purpose.alias.email;
  const ownMailbox = EmailAddress.mailbox(alias);
  const contacts = contactAddresses(purpose);
  const addressFor = (mailbox: NamedMailbox): EmailAddress | null => {
    const email = addressOf(mailbox);
    if (email === null) return null;
    return EmailAddress.mailbox(email) === ownMailbox
      ? alias
      : (contacts.get(EmailAddress.key(email)) ?? null);
  };
  return mailboxes.map((mailbox) => ({ mailbox, address: addressFor(mailbox) }));
};

/** The list of those that have an address, each address once. */
const listOf = (named: readonly Named[], alias: EmailAddress): string => {
  const shown = new Map<string, string>();
  for (const { mailbox, address } of named) {
    if (address === null || shown.has(address)) continue;
    const name = address === alias ? shownName(mailbox.name) : shownSender(mailbox);
    shown.set(address, name === "" ? `<${address}>` : `${phrase(name)} <${address}>`);
  }
  return [...shown.values()].join(", ");
};

/**
 * To and Cc with nobody but the alias and its contacts, so that a reply to all goes through the alias. Others are left out: they get the
 * message too, or nobody knows how to answer them. A field without addresses, such as an empty group, stays as it is.
 */
const namedField = (field: HeaderField, purpose: Forward): HeaderField | null => {
  const alias = purpose.alias.email;
  const named = namedThrough(purpose, parseAddressList(HeaderFields.value(field)));
  if (named.every(({ address }) => address === alias)) return field;
  const list = listOf(named, alias);
  if (list === "" && field.name === "cc") return null;
  return rewritten(field, list || "undisclosed-recipients:;");
};

/**
 * `Reply-To` with the contacts to whom the message asks for answers, if these are not just the author, whose reverse address is in `From`,
 * and the alias; nothing otherwise.
 */
export const replyToField = (
  fields: readonly HeaderField[],
  purpose: Forward,
  from: EmailAddress,
): readonly HeaderField[] => {
  const alias = purpose.alias.email;
  const named = namedThrough(purpose, replyTo(fields));
  const isElsewhere = named.some(({ address }) => address !== null && address !== alias && address !== from);
  return isElsewhere ? [writeField("Reply-To", listOf(named, alias))] : [];
};

/** The field with its ids as its reader on this side of the alias knows them; null if there are none. */
const threadField = (
  field: HeaderField,
  alias: EmailAddress,
  concealment: Concealment,
): HeaderField | null => {
  const exchange = field.name === "message-id" ? exchangedMessageId : exchangedIds;
  const ids = exchange(HeaderFields.value(field), alias, concealment) ?? "";
  return ids === "" ? null : rewritten(field, ids);
};

/** The header with its ids as the other side of the alias knows them. */
export const withExchangedIds = (header: string, alias: EmailAddress, concealment: Concealment): string =>
  HeaderFields.join(
    HeaderFields.split(header).flatMap((field) =>
      THREAD.includes(field.name) ? (threadField(field, alias, concealment) ?? []) : [field],
    ),
  );

/** The kept fields as an alias forwards them. */
export const throughAlias = (
  fields: readonly HeaderField[],
  purpose: Forward,
  concealment: Concealment,
): readonly HeaderField[] =>
  fields.flatMap((field) => {
    if (NAMED.includes(field.name)) return namedField(field, purpose) ?? [];
    if (THREAD.includes(field.name)) return threadField(field, purpose.alias.email, concealment) ?? [];
    return [field];
  });

/** Longer values of address fields are not repeated in full. */
export const MAX_ORIGINAL_LENGTH = 900;

const originalList = (value: string): string => {
  if (value.length <= MAX_ORIGINAL_LENGTH) return value;
  const end = value.lastIndexOf(",", MAX_ORIGINAL_LENGTH);
  return end < 0 ? "..." : `${value.slice(0, end)}, ...`;
};

/** To and Cc as they were sent, if they are not forwarded that way. */
export const originals = (
  asSent: readonly HeaderField[],
  kept: readonly HeaderField[],
): readonly HeaderField[] =>
  ["To", "Cc"].flatMap((name) => {
    const [sent] = HeaderFields.values(asSent, name.toLowerCase());
    const [forwarded] = HeaderFields.values(kept, name.toLowerCase());
    return sent === undefined || sent === forwarded
      ? []
      : [writeField(`X-Postern-Original-${name}`, originalList(sent))];
  });
