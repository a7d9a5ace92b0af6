import { type Concealment, EmailAddress, isReverseAddress, type MessageId } from "@postern/core";
import { type NamedMailbox, parseAddressList } from "../header/address-list.ts";
import { addressOf } from "../header/authors.ts";
import { decodeHeaderText, phrase, unstructured } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { internetDate, parseInternetDate } from "../header/internet-date.ts";
import { wellFormedField } from "../header/well-formed-field.ts";
import { writeField } from "../header/write-field.ts";
import type { Signature } from "../message/message.ts";
import { exchangedIds, exchangedMessageId } from "./concealed-ids.ts";
import type { OwnMailboxes } from "./own-mailboxes.ts";

/** What a message says, and how to read its body. Everything else can reveal who wrote it, where, and with what. */
const KEPT = [
  ...["subject", "auto-submitted"],
  ...["content-type", "content-transfer-encoding", "content-disposition"],
];

/**
 * What a reply says, or what answers to it rely on. A message has each of these at most once (RFC 5322, section 3.6; RFC 2045, section 3).
 */
const ONCE = [...KEPT, "to", "cc", "date", "message-id", "in-reply-to", "references"];

/**
 * Whether a message repeats a field that may occur only once. Programs differ in which occurrence they read: a signature covers the last.
 */
export const repeatsField = (fields: readonly HeaderField[]): boolean =>
  ONCE.some((name) => fields.filter((field) => field.name === name).length > 1);

/**
 * Whether nobody but the signer can have changed or added anything in what a reply to contacts says. Fields that are not signed can also
 * have been removed: without its `Content-Type`, a multipart message would be shown as raw source. The other fields matter less.
 */
export const coversReply = (
  { wholeBody, fields: signed }: Signature,
  fields: readonly HeaderField[],
): boolean =>
  wholeBody &&
  signed.includes("content-type") &&
  KEPT.every((name) => signed.includes(name) || fields.every((field) => field.name !== name));

/** In one field. Hardly any message has more, and the size of the header has to stay bounded. */
const MAX_ADDRESSES = 100;

/** The alias as its owner writes from it. */
export type ReplySender = {
  readonly alias: EmailAddress;
  /** The recipients of the alias. */
  readonly own: OwnMailboxes;
  /** The contacts by their reverse addresses (`EmailAddress.key`). */
  readonly contacts: ReadonlyMap<string, EmailAddress>;
};

/** Who the other side sees in place of a mailbox; null if nobody. */
const shown = (
  named: NamedMailbox,
  { alias, own, contacts }: ReplySender,
): { readonly name: string; readonly address: EmailAddress } | null => {
  const address = addressOf(named);
  if (address === null) return null;
  const isAlias = EmailAddress.mailbox(address) === EmailAddress.mailbox(alias);
  // Without the name, which can be the owner's.
  if (isAlias || own.include(address)) return { name: "", address: alias };
  // Without its name, which is the one that we made up for the owner.
  const contact = contacts.get(EmailAddress.key(address));
  if (contact !== undefined) return { name: "", address: contact };
  if (isReverseAddress(address)) return null;
  return { name: own.areIn(named.name) ? "" : named.name, address };
};

const addressField = (
  name: string,
  fields: readonly HeaderField[],
  sender: ReplySender,
): readonly HeaderField[] => {
  const mailboxes = new Map<string, string>();
  for (const mailbox of HeaderFields.values(fields, name.toLowerCase()).flatMap(parseAddressList)) {
    const other = shown(mailbox, sender);
    if (other === null || mailboxes.size === MAX_ADDRESSES) continue;
    const key = EmailAddress.key(other.address);
    const label = other.name === "" ? "" : `${phrase(other.name)} `;
    if (!mailboxes.has(key)) mailboxes.set(key, `${label}<${other.address}>`);
  }
  return mailboxes.size === 0 ? [] : [writeField(name, [...mailboxes.values()].join(", "))];
};

/** The subject, with the alias in place of its owner: calendars write who has accepted an invitation. */
const subjectField = (field: HeaderField, { alias, own }: ReplySender): HeaderField => {
  const subject = own.replacedIn(decodeHeaderText(HeaderFields.value(field)), alias);
  return subject === null ? wellFormedField(field) : writeField("Subject", unstructured(subject));
};

/**
 * The header with which a message written by the owner of an alias leaves for its contacts, the same for all copies. It is a new message
 * from the alias, with the subject, the date, the thread and the body of the original one. In the form of `ReceivedMessage.header`.
 *
 * `To` and `Cc` name the contacts themselves, the alias in place of its owner, and everybody else, but without a name that contains a
 * mailbox of the owner.
 */
export const replyHeader = (
  { id, createdAt, header }: { readonly id: MessageId; readonly createdAt: number; readonly header: string },
  sender: ReplySender,
  concealment: Concealment,
): string => {
  const { alias } = sender;
  const fields = HeaderFields.split(header);
  const first = (name: string): HeaderField | undefined => fields.find((field) => field.name === name);
  const [date = ""] = HeaderFields.values(fields, "date");
  const to = addressField("To", fields, sender);

  const [messageId = ""] = HeaderFields.values(fields, "message-id");
  const exchanged = exchangedMessageId(messageId, alias, concealment);
  const thread = ["In-Reply-To", "References"].map((name) => {
    const [value = ""] = HeaderFields.values(fields, name.toLowerCase());
    return writeField(name, exchangedIds(value, alias, concealment));
  });

  return HeaderFields.join([
    writeField("From", `<${alias}>`),
    ...(to.length > 0 ? to : [writeField("To", "undisclosed-recipients:;")]),
    ...addressField("Cc", fields, sender),
    // The original's time zone reveals where the owner is, and comments can name the client.
    writeField("Date", internetDate(parseInternetDate(date) ?? createdAt)),
    writeField("Message-ID", exchanged ?? `<${id}@${EmailAddress.domain(alias)}>`),
    ...thread.filter((field) => HeaderFields.value(field) !== ""),
    // Clients add comments with their names.
    ...(first("mime-version") === undefined ? [] : [writeField("MIME-Version", "1.0")]),
    ...KEPT.flatMap((name) => first(name) ?? []).map((field) =>
      field.name === "subject" ? subjectField(field, sender) : wellFormedField(field),
    ),
  ]);
};
