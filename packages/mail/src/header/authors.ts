import { type Domain, type EmailAddress, parseDomain, parseEmailAddress } from "@postern/core";
import { type NamedMailbox, parseAddressList } from "./address-list.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";

/** A trailing dot does not change which domain it is. */
const withoutFinalDot = (domain: string): string => domain.replace(/\.$/, "");

/** The address of a mailbox in a header; null if it is not valid. */
export const addressOf = ({ address }: NamedMailbox): EmailAddress | null =>
  parseEmailAddress(withoutFinalDot(address)).unwrapOr(null);

/** The WHATWG URL parser, which every runtime has. It knows which A-labels stand for something (UTS #46) if another label is not ASCII. */
declare const URL: { canParse(url: string): boolean };

const ANY_LABEL = "[a-z0-9_-]{1,63}";
const HOST_LABEL = "[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?";
const TOP_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOST_NAME = new RegExp(
  `^(?=.{1,253}$)(?!(?:.*\\.)?\\d+$)(?:${HOST_LABEL}|(?:${ANY_LABEL}\\.)*${HOST_LABEL}\\.${TOP_LABEL})$`,
);

/**
 * A domain as others write it, normalized for comparison: in lower case and in ASCII. Null if there can be no such domain. Hosts have names
 * that are not valid in an `EmailAddress`, such as `a_b.sender.example`, because only registries insist on the rules (RFC 1123, section 2.1).
 */
export const comparableDomain = (domain: string): string | null => {
  const name = parseDomain(withoutFinalDot(domain)).unwrapOr(withoutFinalDot(domain).toLowerCase());
  return HOST_NAME.test(name) && URL.canParse(`http://\u00e9.${name}`) ? name : null;
};

/**
 * The longest valid suffix of a domain of at most 254 characters: `spam.example` for `a_b.spam.example`, which senders use but nobody can
 * register. Null if there is none.
 */
export const validDomain = (domain: string): Domain | null => {
  const labels = withoutFinalDot(domain).split(".");
  for (let first = 0; first < labels.length - 1; first += 1) {
    const parsed = parseDomain(labels.slice(first).join("."));
    if (parsed.isOk()) return parsed.value;
  }
  return null;
};

/** The `comparableDomain` after the last @ of the address; null if it has no @. */
export const domainOf = ({ address }: NamedMailbox): string | null =>
  address.includes("@") ? comparableDomain(address.slice(address.lastIndexOf("@") + 1)) : null;

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
