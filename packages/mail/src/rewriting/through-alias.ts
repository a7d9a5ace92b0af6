import { type Concealment, contactAddress, EmailAddress } from "@postern/core";
import type { CopyPurpose } from "../copy/purpose.ts";
import { type NamedMailbox, parseAddressList } from "../header/address-list.ts";
import { addressOf } from "../header/authors.ts";
import { phrase } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { writeField } from "../header/write-field.ts";
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

/**
 * To and Cc with nobody but the alias and its contacts, so that a reply to all goes through the alias. Others are left out: they get the
 * message too, or nobody knows how to answer them. A field without addresses, such as an empty group, stays as it is.
 */
const namedField = (field: HeaderField, purpose: Forward): HeaderField | null => {
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
  const mailboxes = parseAddressList(HeaderFields.value(field)).map((mailbox) => ({
    mailbox,
    address: addressFor(mailbox),
  }));
  if (mailboxes.every(({ address }) => address === alias)) return field;
  const shown = new Map<string, string>();
  for (const { mailbox, address } of mailboxes) {
    if (address === null || shown.has(address)) continue;
    const name = address === alias ? shownName(mailbox.name) : shownSender(mailbox);
    shown.set(address, name === "" ? `<${address}>` : `${phrase(name)} <${address}>`);
  }
  if (shown.size === 0 && field.name === "cc") return null;
  return rewritten(field, [...shown.values()].join(", ") || "undisclosed-recipients:;");
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
