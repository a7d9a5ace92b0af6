import { EmailAddress, parseEmailAddress } from "../values/email-address.ts";
import { parseAddressList } from "./address-list.ts";
import { authorsOf } from "./authors.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";
import { copyOfBounceAddress, isReverseAddress } from "./mail-addresses.ts";

/** How many addresses of To and Cc become contacts. Whoever writes to more people writes to a list. */
export const MAX_NAMED = 20;

/** Whom a message to an alias is from, and whom else its owner answers by answering all. Each address is there once. */
export type Correspondents = {
  /** Null if it has no valid address, or one that Postern made. */
  readonly author: EmailAddress | null;
  /** Those in To and Cc except the author, the alias and its recipients: at most 20, the first ones. */
  readonly named: readonly EmailAddress[];
};

export const correspondents = (
  { fields, returnPath }: { readonly fields: readonly HeaderField[]; readonly returnPath: string },
  alias: {
    readonly email: EmailAddress;
    /** Where its owner has mail (`EmailAddress.mailbox`). */
    readonly own: ReadonlySet<string>;
    /** Whether Postern makes addresses on the domain. */
    readonly isAliasDomain: (email: EmailAddress) => boolean;
  },
): Correspondents => {
  const isMade = (email: EmailAddress): boolean =>
    alias.isAliasDomain(email) && (isReverseAddress(email) || copyOfBounceAddress(email) !== null);
  const addresses = (value: string): readonly EmailAddress[] =>
    parseAddressList(value)
      .flatMap(({ address }) => parseEmailAddress(address).unwrapOr([]))
      .filter((email) => !isMade(email));

  const author = parseEmailAddress(authorsOf(fields, returnPath)[0]?.address).unwrapOr(null);
  const known = new Set(author === null ? [] : [EmailAddress.key(author)]);
  const named: EmailAddress[] = [];
  for (const name of ["to", "cc"]) {
    // Others with the same name are not forwarded.
    const [value = ""] = HeaderFields.values(fields, name);
    for (const email of addresses(value)) {
      const key = EmailAddress.key(email);
      const mailbox = EmailAddress.mailbox(email);
      if (known.has(key) || alias.own.has(mailbox) || mailbox === EmailAddress.mailbox(alias.email)) continue;
      if (named.length === MAX_NAMED) break;
      known.add(key);
      named.push(email);
    }
  }
  return { author: author !== null && isMade(author) ? null : author, named };
};
