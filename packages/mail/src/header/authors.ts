import {
  type Domain,
  type EmailAddress,
  MAX_DOMAIN_LENGTH,
  parseDomain,
  parseEmailAddress,
} from "@postern/core";
import { type NamedMailbox, parseAddressList } from "./address-list.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";

/** A trailing dot does not change which domain it is. */
const withoutFinalDot = (domain: string): string => domain.replace(/\.$/, "");

/** The address of a mailbox in a header; null if it is not valid. */
export const addressOf = ({ address }: NamedMailbox): EmailAddress | null =>
  parseEmailAddress(withoutFinalDot(address)).unwrapOr(null);

/** A domain as others write it, normalized for comparison: in lower case and, if it is valid, in ASCII. */
export const comparableDomain = (domain: string): string =>
  parseDomain(withoutFinalDot(domain)).unwrapOr(withoutFinalDot(domain).toLowerCase());

/**
 * The longest valid suffix of a domain: `spam.example` for `a_b.spam.example`, which senders use but nobody can register. Null if there is
 * none.
 */
export const validDomain = (domain: string): Domain | null => {
  // Anything longer is not valid, and would take too long.
  const labels = withoutFinalDot(domain).slice(-MAX_DOMAIN_LENGTH).split(".");
  for (let first = 0; first < labels.length - 1; first += 1) {
    const parsed = parseDomain(labels.slice(first).join("."));
    if (parsed.isOk()) return parsed.value;
  }
  return null;
};

/** The part after the last @ of the address, normalized for comparison; all of the address if it has no @. */
export const domainOf = ({ address }: NamedMailbox): string =>
  comparableDomain(address.slice(address.lastIndexOf("@") + 1));

/**
 * The authors in a `From`. If some have an address, the others are parts of a name that lacks the quotes it needs, as in
 * `O'Brien, Bob <bob@sender.example>`.
 */
export const authorsIn = (from: string): readonly NamedMailbox[] => {
  const mailboxes = parseAddressList(from);
  const addressed = mailboxes.filter(({ address }) => address.includes("@"));
  return addressed.length > 0 ? addressed : mailboxes;
};

/** Who a message says it is from, the author first: the mailboxes in the first `From`, or the envelope sender if there is none. */
export const authorsOf = (fields: readonly HeaderField[], returnPath: string): readonly NamedMailbox[] =>
  authorsIn(HeaderFields.values(fields, "from")[0] ?? returnPath);
