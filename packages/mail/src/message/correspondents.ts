import { type AliasDomains, EmailAddress, isReverseAddress } from "@postern/core";
import { type NamedMailbox, parseAddressList } from "../header/address-list.ts";
import { addressOf, authorsOf } from "../header/authors.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { copyOfBounceAddress } from "./bounce-address.ts";
import type { Message } from "./message.ts";
import { referenceOfUnsubscribeAddress } from "./unsubscription.ts";

/** How many addresses in Reply-To, To and Cc become contacts. Mail to more people than that is mail to a list. */
export const MAX_NAMED = 20;

/** Who a message to an alias is from, and who else its owner answers. Each address appears once. */
export type Correspondents = {
  /** Null if the author has no valid address, or one that Postern made. */
  readonly author: EmailAddress | null;
  /**
   * The addresses in Reply-To, To and Cc except the author and the alias: at most 20, the first ones. Those in Reply-To come first, because
   * answers go there. The recipients of the alias are included: otherwise a sender who guessed one of them could tell, because a reply to
   * all would leave it out.
   */
  readonly named: readonly EmailAddress[];
};

type Mail = { readonly fields: readonly HeaderField[]; readonly returnPath: string };

const isMade = (email: EmailAddress, aliasDomains: AliasDomains): boolean =>
  aliasDomains.includes(EmailAddress.domain(email)) &&
  (isReverseAddress(email) ||
    copyOfBounceAddress(email) !== null ||
    referenceOfUnsubscribeAddress(email) !== null);

/** Who a message is from, even if Postern made the address. */
const firstAuthor = ({ fields, returnPath }: Mail): EmailAddress | null => {
  const [author] = authorsOf(fields, returnPath);
  return author === undefined ? null : addressOf(author);
};

/** Who a message in the spool is from; null for one that Postern wrote. */
export const authorOfMessage = (message: Message): EmailAddress | null =>
  message.origin === "received"
    ? firstAuthor({ fields: HeaderFields.split(message.header), returnPath: message.returnPath })
    : null;

/** `Correspondents.author` */
export const authorOf = (mail: Mail, aliasDomains: AliasDomains): EmailAddress | null => {
  const author = firstAuthor(mail);
  return author !== null && isMade(author, aliasDomains) ? null : author;
};

/** Where its author wants answers to a message: the mailboxes in all of its `Reply-To` fields, since programs differ in which they read. */
export const replyTo = (fields: readonly HeaderField[]): readonly NamedMailbox[] =>
  HeaderFields.values(fields, "reply-to").flatMap(parseAddressList);

export const correspondents = (
  mail: Mail,
  alias: {
    readonly email: EmailAddress;
    /** The domains on which Postern makes addresses. */
    readonly aliasDomains: AliasDomains;
  },
): Correspondents => {
  const ownMailbox = EmailAddress.mailbox(alias.email);
  const author = firstAuthor(mail);
  const known = new Set(author === null ? [] : [EmailAddress.key(author)]);
  const named: EmailAddress[] = [];
  // Further fields named To or Cc are not forwarded.
  const others = ["to", "cc"].flatMap((name) => HeaderFields.values(mail.fields, name).slice(0, 1));
  for (const mailbox of [...replyTo(mail.fields), ...others.flatMap(parseAddressList)]) {
    if (named.length === MAX_NAMED) break;
    const email = addressOf(mailbox);
    if (email === null || isMade(email, alias.aliasDomains)) continue;
    const key = EmailAddress.key(email);
    if (known.has(key) || EmailAddress.mailbox(email) === ownMailbox) continue;
    known.add(key);
    named.push(email);
  }
  return { author: authorOf(mail, alias.aliasDomains), named };
};
