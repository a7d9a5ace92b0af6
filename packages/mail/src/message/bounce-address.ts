import { type CopyId, type Domain, EmailAddress } from "@postern/core";
import { ID_PATTERN } from "@postern/core/operations";

/*
 * The addresses that Postern makes on the alias domains. Their names are reserved (`reserved-names.ts`). Mail systems may
 * change the case of an address, so case does not matter.
 */

const BOUNCE = new RegExp(`^b-(${ID_PATTERN})$`, "i");

/** Where reports about a copy are sent: its envelope sender, on an alias domain. */
export const bounceAddress = (copy: CopyId, domain: Domain): EmailAddress =>
  // Safe because ids are valid names, and alias domains leave room for names of 64 characters.
  `b-${copy}@${domain}` as EmailAddress;

/** The copy whose reports are sent to this address; null if it is another kind of address. */
export const copyOfBounceAddress = (address: EmailAddress): CopyId | null =>
  // Safe because the pattern contains the pattern of ids.
  (BOUNCE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() as CopyId | undefined) ?? null;
