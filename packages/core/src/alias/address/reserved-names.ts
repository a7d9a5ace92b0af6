import type { Result } from "neverthrow";
import * as z from "zod";
import { EmailAddress, parseEmailAddress } from "../../values/email-address.ts";
import { type InvalidRequest, parse } from "../../values/parse.ts";

/*
 * Names whose mail is meant for those who run the domain, or that speak for it. Written without separators, which are not
 * compared: `no-reply`, `no.reply` and `No_Reply` are all `noreply`.
 */

/** Certificates for the domain: Baseline Requirements of the CA/Browser Forum, section 3.2.2.4.4. */
const DOMAIN_VALIDATION = ["admin", "administrator", "webmaster", "hostmaster", "postmaster"];

/**
 * What certification authorities accepted besides, against the rules (CERT/CC VU#591120, 2015), and what other mail
 * services keep from their users for fear of it (Google Groups: `ssl-admin`; Forward Email: `ssl`, `tld-admin`).
 */
const FORMERLY_VALIDATION = [
  ...["is", "it", "mis", "root", "ssl", "ssladmin", "ssladministrator", "sslwebmaster"],
  ...["sysadmin", "sysadministrator", "domainadmin", "tldadmin"],
];

/** RFC 2142: business, network operations, and internet services. */
const RFC_2142 = [
  ...["info", "marketing", "sales", "support"],
  ...["abuse", "noc", "security"],
  ...["postmaster", "hostmaster", "usenet", "news", "webmaster", "www", "uucp", "ftp"],
];

/** What mail programs, mailing lists and the accounts of a Unix system send from, and get answers to. */
const PROGRAMS = [
  ...["mailerdaemon", "mailer", "daemon", "mail", "bounce", "bounces", "returns"],
  ...["noreply", "noreplies", "donotreply", "donotrespond", "nobody"],
  ...["listserv", "listmaster", "majordomo", "mailman", "unsubscribe"],
  ...["bin", "operator", "sys", "system", "toor", "wwwdata"],
];

/** Reports about the domain's mail (RFC 7489, 8460, 5965), and what mail clients look for to set themselves up. */
const MAIL_SYSTEM = [
  ...["dmarc", "dmarcreports", "dmarcrua", "dmarcruf", "dkim", "spf", "arf", "fbl", "complaints"],
  ...["tlsrpt", "tlsreport", "tlsreports", "smtptls", "mtasts"],
  ...["autoconfig", "autodiscover"],
];

const RESERVED = [...DOMAIN_VALIDATION, ...FORMERLY_VALIDATION, ...RFC_2142, ...PROGRAMS, ...MAIL_SYSTEM];

/** Rewritten senders (SRS), with any of their separators: a mail system may take such mail for bounces. */
const REWRITTEN = /^srs[01][-+=]/i;

/** A tag does not make a name another one: mail to `name+tag@` is for `name@`. */
const keyOf = (localPart: string): string =>
  localPart.replace(/\+.*$/, "").replace(/[._-]/g, "").toLowerCase();

const names = z
  .array(
    z
      .string()
      .refine(
        (name) => !name.includes("@") && parseEmailAddress(`${name}@alias.example`).isOk(),
        "must be names such as billing: what comes before the @ of an address",
      ),
  )
  .readonly();

/** Parses a list of names to reserve, which are local parts of addresses such as `billing`. It can be empty. */
export const parseReservedNames = (input: unknown): Result<readonly string[], InvalidRequest> =>
  parse(names, input);

/**
 * Whether an account must not choose the address, because its name is one of the above or one of `own`, or looks like a
 * rewritten sender. Neither case, nor `.`, `_` and `-`, nor a tag (`+…`) makes a difference.
 */
export const reservedNames = (own: readonly string[]): ((address: EmailAddress) => boolean) => {
  const reserved = new Set([...RESERVED, ...own.map(keyOf)]);
  return (address) => {
    const localPart = EmailAddress.localPart(address);
    return reserved.has(keyOf(localPart)) || REWRITTEN.test(localPart);
  };
};
