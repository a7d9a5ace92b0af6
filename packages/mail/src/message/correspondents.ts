import { type AliasDomains, EmailAddress, isReverseAddress } from "@postern/core";
import { parseAddressList } from "../header/address-list.ts";
import { addressOf, authorsOf } from "../header/authors.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { copyOfBounceAddress } from "./bounce-address.ts";
import type { Message } from "./message.ts";

/** How many addresses in To and Cc become contacts. Mail to more people than that is mail to a list. */
export const MAX_NAMED = 20;

/** Who a message to an alias is from, and who else its owner answers with a reply to all. Each address appears once. */
export type Correspondents = {
  /** Null if the author has no valid address, or one that Postern made. */
  readonly author: EmailAddress | null;
  /**
   * The addresses in To and Cc except the author and the alias: at most 20, the first ones. The recipients of the alias are included:
   * otherwise a sender who guessed one of them could tell, because a reply to all would leave it out.
   */
  readonly named: readonly EmailAddress[];
};

type Mail = { readonly fields: readonly HeaderField[]; readonly returnPath: string };

const isMade = (email: EmailAddress, aliasDomains: AliasDomains): boolean =>
  aliasDomains.includes(EmailAddress.domain(email)) &&
  (isReverseAddress(email) || copyOfBounceAddress(email) !== null);

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
  for (const name of ["to", "cc"]) {
    // Further fields with the same name are not forwarded.
    const [value = ""] = HeaderFields.values(mail.fields, name);
    for (const mailbox of parseAddressList(value)) {
      if (named.length === MAX_NAMED) break;
      const email = addressOf(mailbox);
      if (email === null || isMade(email, alias.aliasDomains)) continue;
      const key = EmailAddress.key(email);
      if (known.has(key) || EmailAddress.mailbox(email) === ownMailbox) continue;
      known.add(key);
      named.push(email);
    }
  }
  return { author: authorOf(mail, alias.aliasDomains), named };
};
