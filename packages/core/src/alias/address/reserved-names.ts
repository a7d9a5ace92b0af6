import { EmailAddress } from "../../values/email-address.ts";

/**
 * The mailbox names of RFC 2142, and the sender of bounces: an alias with such a name could pose as the domain's
 * operator.
 */
const RESERVED = new Set([
  ...["info", "marketing", "sales", "support"],
  ...["abuse", "noc", "security"],
  ...["postmaster", "hostmaster", "usenet", "news", "webmaster", "www", "uucp", "ftp"],
  "mailer-daemon",
]);

/** Whether no alias can be created with the address, whatever its domain. */
export const isReserved = (address: EmailAddress): boolean =>
  RESERVED.has(EmailAddress.localPart(address).toLowerCase());
