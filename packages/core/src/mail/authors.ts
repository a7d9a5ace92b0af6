import { type NamedMailbox, parseAddressList } from "./address-list.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";

/** Whom a message says that it is from, the author first: the mailboxes in the first `From`, or the envelope sender without one. */
export const authorsOf = (fields: readonly HeaderField[], returnPath: string): readonly NamedMailbox[] =>
  parseAddressList(HeaderFields.values(fields, "from")[0] ?? returnPath);
