import { z } from "zod";

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL_PART = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`);
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

/** The WHATWG URL parser, which every runtime has: it alone knows how names beyond ASCII are written (UTS #46). */
declare const URL: { parse(text: string): { readonly hostname: string } | null };

/** The name as DNS has it: lower-cased, and what is beyond ASCII in A-labels (RFC 5890). Not necessarily a valid one. */
const asciiDomain = (name: string): string =>
  /\P{ASCII}/u.test(name) && /^(?:\P{ASCII}|[A-Za-z0-9.-])+$/u.test(name)
    ? (URL.parse(`http://${name}`)?.hostname ?? name)
    : name.toLowerCase();

/** A DNS name of at least two labels, lower-cased; labels beyond ASCII become A-labels. */
export const Domain = z
  .string()
  .max(253, "must be at most 253 characters")
  .transform(asciiDomain)
  .refine((name) => name.length <= 253 && DOMAIN.test(name), "must be a domain name such as example.com")
  .brand<"Domain">();
export type Domain = z.output<typeof Domain>;

const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@");
  return at <= 64 && LOCAL_PART.test(text.slice(0, Math.max(at, 0))) && DOMAIN.test(text.slice(at + 1));
};

/**
 * A mailbox as RFC 5321 writes it: a dot-atom of at most 64 octets, `@`, a domain name; 254 octets in all
 * (RFC 3696, erratum 1690). Quoted local parts and address literals are refused: hardly any mailbox has
 * one and many systems mishandle them. The domain is lower-cased and written in ASCII, the local part kept as it is.
 */
const emailAddress = z
  .string()
  .max(254, "must be at most 254 characters")
  .transform((text) => {
    const at = text.lastIndexOf("@") + 1;
    return text.slice(0, at) + asciiDomain(text.slice(at));
  })
  .refine(
    (text) => text.length <= 254 && isAddress(text),
    "must be an email address such as name@example.com",
  )
  .brand<"EmailAddress">();
export type EmailAddress = z.output<typeof emailAddress>;

export const EmailAddress = Object.assign(emailAddress, {
  domain: (address: EmailAddress): Domain => Domain.parse(address.slice(address.lastIndexOf("@") + 1)),

  /** What two addresses have in common when they count as the same one: case does not tell them apart. */
  key: (address: EmailAddress): string => address.toLowerCase(),
});
