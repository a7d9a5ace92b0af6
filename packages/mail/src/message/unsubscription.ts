import { type Domain, EmailAddress, type SpoolId, type SpoolMark } from "@postern/core";
import { ID_PATTERN, MARK_PATTERN, markOfSpool } from "@postern/core/operations";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { type Mailto, parseMailto } from "../header/mailto.ts";

/*
 * Mail programs that unsubscribe from a list by mail write to the address in `List-Unsubscribe` (RFC 2369), from the mailbox itself. In
 * forwarded mail, an address of ours stands for it, and names the message, which is all that has to be remembered, and the spool that
 * remembers it.
 */

/** Messages that were forwarded before addresses named a spool have some that do not. */
const UNSUBSCRIBE = new RegExp(`^u-(${ID_PATTERN}-${ID_PATTERN})(?:-(${MARK_PATTERN}))?$`, "i");

/** The address that stands for the one in `List-Unsubscribe` of the message with this reference (`messageReference`). */
export const unsubscribeAddress = (reference: string, spool: SpoolId, domain: Domain): EmailAddress =>
  // Safe because it is a valid name of 64 characters, and alias domains leave room for that.
  `u-${reference}-${markOfSpool(spool)}@${domain}` as EmailAddress;

/** The spool that such an address names, which may be forged; null if it names none, or is another kind of address. */
export const spoolOfUnsubscribeAddress = (address: EmailAddress): SpoolMark | null =>
  // Safe because the pattern contains that of marks.
  (UNSUBSCRIBE.exec(EmailAddress.localPart(address))?.[2]?.toLowerCase() as SpoolMark | undefined) ?? null;

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
