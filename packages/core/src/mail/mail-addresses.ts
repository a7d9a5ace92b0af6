import type { Secrets } from "../ports.ts";
import { type Domain, EmailAddress } from "../values/email-address.ts";
import type { ContactId } from "../values/identifiers.ts";
import type { CopyId } from "./copy.ts";
import { hashedId, ID_PATTERN } from "./mail-ids.ts";

/*
 * The addresses that Postern makes on the alias domains. Their names are reserved (`reserved-names.ts`). Mail systems may
 * change the case of an address, so case does not matter.
 */

const BOUNCE = new RegExp(`^b-(${ID_PATTERN})$`, "i");
const REVERSE = new RegExp(`^r-(${ID_PATTERN})$`, "i");

/** Where reports about a copy are sent: its envelope sender, on an alias domain. */
export const bounceAddress = (copy: CopyId, domain: Domain): EmailAddress =>
  // Safe because ids are valid names, and alias domains leave room for names of 64 characters.
  `b-${copy}@${domain}` as EmailAddress;

/** The copy whose reports are sent to this address; null if it is another kind of address. */
export const copyOfBounceAddress = (address: EmailAddress): CopyId | null =>
  // Safe because the pattern contains the pattern of ids.
  (BOUNCE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() as CopyId | undefined) ?? null;

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
