import { type EmailAddress, parseEmailAddress } from "../values/email-address.ts";
import { type NamedMailbox, parseAddressList } from "./address-list.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";

/** The address of a mailbox in a header; null if it is not valid. A dot after the domain changes nothing about which mailbox it is. */
export const addressOf = ({ address }: NamedMailbox): EmailAddress | null =>
  parseEmailAddress(address.replace(/\.$/, "")).unwrapOr(null);

/** Whom a message says that it is from, the author first: the mailboxes in the first `From`, or the envelope sender without one. */
export const authorsOf = (fields: readonly HeaderField[], returnPath: string): readonly NamedMailbox[] =>
  parseAddressList(HeaderFields.values(fields, "from")[0] ?? returnPath);
