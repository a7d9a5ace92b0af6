import type { Secrets } from "../ports/secrets.ts";
import { hashedId, ID_PATTERN } from "../values/base32-ids.ts";
import { type Domain, EmailAddress } from "../values/email-address.ts";
import type { ContactId } from "../values/identifiers.ts";

const REVERSE = new RegExp(`^r-(${ID_PATTERN})$`, "i");

/**
 * The id of a new contact of an alias. It is always the same for the same alias and address, different for any others,
 * and reveals neither; another key gives another id, so a contact keeps the id that it was stored with.
 */
export const newContactId = (
  hash: Secrets["hash"],
  alias: EmailAddress,
  /** As in `From`; not necessarily a valid address. */
  address: string,
): ContactId =>
  // Safe because contacts have ids of this form.
  hashedId(hash, `reverse address:${EmailAddress.key(alias)}:${address.toLowerCase()}`) as ContactId;

/** The address, on the alias's domain, that stands for a contact in messages that an alias forwards. Mail to it goes to the contact. */
export const contactAddress = (id: ContactId, domain: Domain): EmailAddress =>
  // Safe because ids are valid names, and alias domains leave room for names of 64 characters.
  `r-${id}@${domain}` as EmailAddress;

/** The contact that this address stands for, whether or not it exists; null if it is another kind of address. */
export const contactOfReverseAddress = (address: EmailAddress): ContactId | null =>
  // Safe because the pattern contains the pattern of ids.
  (REVERSE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() as ContactId | undefined) ?? null;

/** The address that stands for a sender in messages that an alias forwards: that of the contact that the sender is, or would be. */
export const reverseAddress = (hash: Secrets["hash"], alias: EmailAddress, sender: string): EmailAddress =>
  contactAddress(newContactId(hash, alias, sender), EmailAddress.domain(alias));

export const isReverseAddress = (address: EmailAddress): boolean => contactOfReverseAddress(address) !== null;
