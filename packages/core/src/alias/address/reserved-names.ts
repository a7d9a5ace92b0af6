import type { Result } from "neverthrow";
import * as z from "zod";
import { ID_PATTERN, MARK_PATTERN, TAG_PATTERN } from "../../values/base32-ids.ts";
import { EmailAddress, parseEmailAddress } from "../../values/email-address.ts";
import { type InvalidRequest, parse } from "../../values/parse.ts";

/*
 * Names that an account must not choose, because mail to them is meant for the operators of the domain, or mail from them
 * appears to come from the operators. Separators are ignored, so `noreply` also covers `no-reply`, `no.reply` and `no_reply`.
 */

/** Certification authorities send domain validation mail to these: Baseline Requirements, section 3.2.2.4.4. */
const DOMAIN_VALIDATION = ["admin", "administrator", "webmaster", "hostmaster", "postmaster"];

/**
 * Other names of administrators. Some certification authorities accepted names that are not on the list above (CERT/CC
 * VU#591120). Google Groups reserves `root` and `ssl-admin`; Forward Email reserves `ssl` and `tld-admin`.
 */
const ADMINISTRATORS = [
  ...["root", "toor", "is", "it", "mis", "operator", "system", "sys", "sysadmin", "sysadministrator"],
  ...["ssl", "ssladmin", "ssladministrator", "sslwebmaster", "domainadmin", "tldadmin"],
];

/** RFC 2142: business, network operations and internet services. */
const RFC_2142 = [
  ...["info", "marketing", "sales", "support"],
  ...["abuse", "noc", "security"],
  ...["postmaster", "hostmaster", "usenet", "news", "webmaster", "www", "uucp", "ftp"],
];

/** Mail programs, list managers and Unix system accounts send from these and receive replies and bounces at them. */
const PROGRAMS = [
  ...["mailerdaemon", "maildaemon", "mailer", "daemon", "mail", "postfix", "exim"],
  ...["bounce", "bounces", "doublebounce", "returns"],
  ...["noreply", "noreplies", "donotreply", "donotrespond", "nobody"],
  ...["listserv", "listmaster", "majordomo", "mailman", "unsubscribe"],
  ...["bin", "wwwdata"],
];

/** Reports about the domain's mail go to these (RFC 5965, 7489, 8460); mail clients look up the last two. */
const MAIL_REPORTS = [
  ...["arf", "complaints", "fbl", "dkim", "dmarc", "dmarcreports", "dmarcrua", "dmarcruf", "spf"],
  ...["mtasts", "smtptls", "tlsreport", "tlsreports", "tlsrpt"],
  ...["autoconfig", "autodiscover"],
];

const RESERVED = [...DOMAIN_VALIDATION, ...ADMINISTRATORS, ...RFC_2142, ...PROGRAMS, ...MAIL_REPORTS];

/** A sender rewritten by SRS, with any of its separators: mail systems may treat mail to it as a bounce. */
const REWRITTEN_SENDER = /^srs[01][-+=]/i;

/**
 * The addresses of the mail plane (`bounce-address.ts` and `unsubscription.ts` of `@postern/mail`, and `reverse-address.ts`), with or without
 * a tag.
 */
const MAIL_PLANE = new RegExp(
  `^(?:[br]-${ID_PATTERN}|b-${ID_PATTERN}-${MARK_PATTERN}${TAG_PATTERN}|u-${ID_PATTERN}-${ID_PATTERN}(?:-${MARK_PATTERN})?)(?:\\+|$)`,
  "i",
);

/** Addresses with the same key count as the same name. The tag is ignored, because mail to `name+tag@` reaches `name@`. */
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

/** Parses a list of names to reserve: local parts of addresses, such as `billing`. The list can be empty. */
export const parseReservedNames = (input: unknown): Result<readonly string[], InvalidRequest> =>
  parse(names, input);

/**
 * Returns a function that tells whether an address is reserved: its name is one of the above or of `own`, or it looks
 * like a sender rewritten by SRS or by the mail plane. Ignores case, separators (`.`, `_` and `-`), tags (`+…`) and the
 * domain.
 */
export const reservedNames = (own: readonly string[]): ((address: EmailAddress) => boolean) => {
  const reserved = new Set([...RESERVED, ...own.map(keyOf)]);
  return (address) => {
    const localPart = EmailAddress.localPart(address);
    return (
      reserved.has(keyOf(localPart)) || [REWRITTEN_SENDER, MAIL_PLANE].some((form) => form.test(localPart))
    );
  };
};
