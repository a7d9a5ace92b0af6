import type { Secrets } from "../ports.ts";
import { type Domain, EmailAddress } from "../values/email-address.ts";
import type { CopyId } from "./copy.ts";
import { hashedId, ID_PATTERN } from "./mail-ids.ts";

/*
 * The addresses that Postern makes on the alias domains. Their names are reserved (`reserved-names.ts`). Mail systems may
 * change the case of an address, so case does not matter.
 */

const BOUNCE = new RegExp(`^b-(${ID_PATTERN})$`, "i");
const REVERSE = new RegExp(`^r-${ID_PATTERN}$`, "i");

/** Where reports about a copy are sent: its envelope sender, on an alias domain. */
export const bounceAddress = (copy: CopyId, domain: Domain): EmailAddress =>
  // Safe because ids are valid names, and on alias domains names of 64 characters are.
  `b-${copy}@${domain}` as EmailAddress;

/** The copy whose reports are sent to this address; null if it is another kind of address. */
export const copyOfBounceAddress = (address: EmailAddress): CopyId | null =>
  // Safe because the pattern contains that of ids.
  (BOUNCE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() as CopyId | undefined) ?? null;

/**
 * Stands for a sender in messages that an alias forwards. It is always the same for the same alias and sender, different for any
 * others, and reveals neither. The domain is that of the alias.
 */
export const reverseAddress = (
  hash: Secrets["hash"],
  alias: EmailAddress,
  /** As in `From`; not necessarily a valid address. */
  sender: string,
): EmailAddress => {
  const id = hashedId(hash, `reverse address:${EmailAddress.key(alias)}:${sender.toLowerCase()}`);
  // Safe because ids are valid names, and on alias domains names of 64 characters are.
  return `r-${id}@${EmailAddress.domain(alias)}` as EmailAddress;
};

export const isReverseAddress = (address: EmailAddress): boolean =>
  REVERSE.test(EmailAddress.localPart(address));
