import { z } from "zod";

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`);
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

/** A DNS name of at least two labels, lower-cased. */
export const Domain = z
  .string()
  .max(253, "must be at most 253 characters")
  .regex(DOMAIN, "must be a domain name such as example.com")
  .transform((domain) => domain.toLowerCase())
  .brand<"Domain">();
export type Domain = z.output<typeof Domain>;

const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@");
  return at <= 64 && LOCAL_PART.test(text.slice(0, Math.max(at, 0))) && DOMAIN.test(text.slice(at + 1));
};

/**
 * A mailbox as RFC 5321 writes it: a dot-atom of at most 64 octets, `@`, a domain name; 254 octets in all
 * (RFC 3696, erratum 1690). Quoted local parts and address literals are refused: hardly any mailbox has
 * one and many systems mishandle them. The domain is lower-cased, the local part kept as written.
 */
const emailAddress = z
  .string()
  .max(254, "must be at most 254 characters")
  .refine(isAddress, "must be an email address such as name@example.com")
  .transform((text) => {
    const at = text.lastIndexOf("@");
    return text.slice(0, at) + text.slice(at).toLowerCase();
  })
  .brand<"EmailAddress">();
export type EmailAddress = z.output<typeof emailAddress>;

export const EmailAddress = Object.assign(emailAddress, {
  domain: (address: EmailAddress): string => address.slice(address.lastIndexOf("@") + 1),

  /** What two addresses have in common when they count as the same one: case does not tell them apart. */
  key: (address: EmailAddress): string => address.toLowerCase(),
});
