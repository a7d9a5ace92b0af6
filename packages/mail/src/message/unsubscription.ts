import { type Domain, EmailAddress } from "@postern/core";
import { ID_PATTERN } from "@postern/core/operations";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { type Mailto, parseMailto } from "../header/mailto.ts";

/*
 * Mail programs that unsubscribe from a list by mail write to the address in `List-Unsubscribe` (RFC 2369), from the mailbox itself. In
 * forwarded mail, an address of ours stands for it, and names the message, which is all that has to be remembered.
 */

const UNSUBSCRIBE = new RegExp(`^u-(${ID_PATTERN}-${ID_PATTERN})$`, "i");

/** The address that stands for the one in `List-Unsubscribe` of the message with this reference (`messageReference`). */
export const unsubscribeAddress = (reference: string, domain: Domain): EmailAddress =>
  // Safe because references are valid names of 53 characters, and alias domains leave room for names of 64.
  `u-${reference}@${domain}` as EmailAddress;

/** The reference in such an address, which may be forged; null if it is another kind of address. */
export const referenceOfUnsubscribeAddress = (address: EmailAddress): string | null =>
  UNSUBSCRIBE.exec(EmailAddress.localPart(address))?.[1]?.toLowerCase() ?? null;

/** The URIs in a field such as `List-Unsubscribe`. White space in them does not count (RFC 2369, section 2). */
export const listUris = (value: string): readonly string[] => {
  const inBrackets = Array.from(value.matchAll(/<([^<>]*)>/g), ([, uri = ""]) => uri);
  return (inBrackets.length > 0 ? inBrackets : value.split(",")).map((uri) => uri.replace(/[\t-\r ]+/g, ""));
};

/** The message that unsubscribes from the list that a message is from; null if that does not work by mail. */
export const unsubscribeMailto = (fields: readonly HeaderField[]): Mailto | null => {
  const [value = ""] = HeaderFields.values(fields, "list-unsubscribe");
  return (
    listUris(value)
      .map(parseMailto)
      .find((mailto) => mailto !== null) ?? null
  );
};
