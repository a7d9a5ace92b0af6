import type { Result } from "neverthrow";
import * as z from "zod";
import type { Brand } from "./brand.ts";
import { type InvalidRequest, parse } from "./parse.ts";
import { withGuard } from "./with-guard.ts";

/** A DNS name of at least two labels, in lower case; non-ASCII labels are written as A-labels (RFC 5890). */
export type Domain = Brand<string, "Domain">;

/**
 * A mailbox as RFC 5321 writes it: a dot-atom of at most 64 octets, `@`, and a domain name; 254 octets in all
 * (RFC 3696, erratum 1690). The domain is in lower case and ASCII; the local part keeps its case. Quoted local parts
 * and address literals are rejected: hardly any mailbox has one, and many systems mishandle them.
 */
export type EmailAddress = Brand<string, "EmailAddress">;

/** The maximum length of an email address (RFC 3696, erratum 1690). */
export const MAX_ADDRESS_LENGTH = 254;
/** The maximum length of a domain name. */
export const MAX_DOMAIN_LENGTH = 253;
export const MAX_LOCAL_PART_LENGTH = 64;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = `(?:${LABEL}\\.)+(?!\\d+$)${LABEL}`;
const IS_DOMAIN = new RegExp(`^${DOMAIN}$`);
const IS_ADDRESS = new RegExp(`^(?=[^@]{1,${MAX_LOCAL_PART_LENGTH}}@)${ATOM}(?:\\.${ATOM})*@${DOMAIN}$`);

/** The WHATWG URL parser, which every runtime has: ECMAScript itself cannot convert non-ASCII names (UTS #46). */
declare const URL: { parse(text: string): { readonly hostname: string } | null };

/** The name in lower case, with A-labels for non-ASCII labels. Not necessarily valid. */
const asciiDomain = (name: string): string =>
  /\P{ASCII}/u.test(name) && /^(?:\P{ASCII}|[A-Za-z0-9.-])+$/u.test(name)
    ? (URL.parse(`http://${name}`)?.hostname ?? name)
    : name.toLowerCase();

export const domain = z
  .string()
  .max(MAX_DOMAIN_LENGTH, `must be at most ${MAX_DOMAIN_LENGTH} characters`)
  .transform(asciiDomain)
  .refine(
    (name) => name.length <= MAX_DOMAIN_LENGTH && IS_DOMAIN.test(name),
    "must be a domain name such as example.com",
  )
  .transform((name) => name as Domain);

const withAsciiDomain = (text: string): string => {
  const at = text.lastIndexOf("@") + 1;
  return text.slice(0, at) + asciiDomain(text.slice(at));
};

/** Whether the input is an address in its stored form. */
const isEmailAddress = (input: unknown): input is EmailAddress =>
  typeof input === "string" && input.length <= MAX_ADDRESS_LENGTH && IS_ADDRESS.test(input);

export const emailAddress = withGuard(
  z
    .string()
    .max(MAX_ADDRESS_LENGTH, `must be at most ${MAX_ADDRESS_LENGTH} characters`)
    .transform((text, context) => {
      const address = withAsciiDomain(text);
      if (isEmailAddress(address)) return address;
      context.addIssue("must be an email address such as name@example.com");
      return z.NEVER;
    }),
  isEmailAddress,
);

/** Parses a domain name: lower-cases it and writes non-ASCII labels as A-labels. */
export const parseDomain = (input: unknown): Result<Domain, InvalidRequest> => parse(domain, input);

/** Parses an email address: lower-cases its domain and leaves its local part unchanged. */
export const parseEmailAddress = (input: unknown): Result<EmailAddress, InvalidRequest> =>
  parse(emailAddress, input);

/** The domains of Gmail, which ignores dots before the @. The owner of one such address has all of its variants. */
const GMAIL: readonly string[] = ["gmail.com", "googlemail.com"];

export const EmailAddress = {
  domain: (address: EmailAddress): Domain => address.slice(address.lastIndexOf("@") + 1) as Domain,

  localPart: (address: EmailAddress): string => address.slice(0, address.lastIndexOf("@")),

  /** The address in lower case. Two addresses are the same mailbox when their keys are equal: case does not matter. */
  // Sound because the case of an address does not decide whether it is valid.
  key: (address: EmailAddress): EmailAddress => address.toLowerCase() as EmailAddress,

  /**
   * The mailbox behind the address, for counting messages: without its subaddress (RFC 5233), in lower case; and without the dots that
   * Gmail ignores. Not always a valid address: `me.+1@home.example` and `me.+2@home.example` are both `me.@home.example`.
   */
  mailbox: (address: EmailAddress): string => {
    const [user = ""] = EmailAddress.localPart(address).toLowerCase().split("+");
    // Without a user it is not a subaddress: `+1555…@sms.example` is a telephone number.
    if (user === "") return address.toLowerCase();
    const domain = EmailAddress.domain(address);
    return GMAIL.includes(domain) ? `${user.replaceAll(".", "")}@${GMAIL[0]}` : `${user}@${domain}`;
  },

  /**
   * Splits a subaddress (RFC 5233): `shop+news@alias.example` is `shop@alias.example` with the tag `news`. The tag
   * begins after the first `+`. Null if the address has no tag, or would not be valid without it.
   */
  withoutTag: (address: EmailAddress): { readonly address: EmailAddress; readonly tag: string } | null => {
    const [user = "", ...detail] = EmailAddress.localPart(address).split("+");
    if (detail.length === 0) return null;
    return parseEmailAddress(`${user}@${EmailAddress.domain(address)}`).match(
      (base) => ({ address: base, tag: detail.join("+") }),
      () => null,
    );
  },
};
