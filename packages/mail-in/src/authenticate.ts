import { Readable } from "node:stream";
import {
  type Alignment,
  type Authentication,
  type HeaderField,
  HeaderFields,
  type MailBody,
  type Session,
  type Verdict,
} from "@postern/mail";
import { authenticate as check } from "mailauth";
import { getDomain } from "tldts";
import type { Lookup } from "./resolver.ts";

export type ArrivedMessage = {
  readonly header: string;
  readonly body: MailBody;
  /** The envelope sender; empty for the null sender. */
  readonly returnPath: string;
  /** Null if it did not come by SMTP. */
  readonly session: Pick<Session, "clientAddress" | "clientName"> | null;
};

/** Each signature costs a lookup, a verification, and possibly another hash of the body. Messages have up to four or five. */
const MAX_SIGNATURES = 6;
/** For all checks together. SPF alone may look up 20 records. */
const CHECK_MS = 30_000;

const VERDICTS: readonly Verdict[] = [
  "none",
  "pass",
  "fail",
  "softfail",
  "neutral",
  "temperror",
  "permerror",
];

type Checks = Awaited<ReturnType<typeof check>>;

const verdictOf = (result: string | undefined): Verdict =>
  VERDICTS.find((verdict) => verdict === result) ?? "none";

const policyOf = (policy: string | undefined): Authentication["dmarc"]["policy"] =>
  policy === "reject" || policy === "quarantine" ? policy : "none";

/** Who sent a message. */
export type Checked = { readonly authentication: Authentication; readonly alignment: Alignment };

/** What passed if the check itself fails, as far as is known. */
const UNKNOWN_ALIGNMENT: Alignment = { spf: false, signatures: [], complete: false };

/** What is known if the check itself fails. */
const UNKNOWN: Checked = {
  authentication: {
    authorDomain: null,
    spf: "temperror",
    dmarc: { verdict: "temperror", policy: "none" },
    arc: "none",
    results: "spf=temperror; dmarc=temperror",
  },
  alignment: UNKNOWN_ALIGNMENT,
};

/**
 * The maximum length at which fields of these names are checked. mailauth looks up each name in `h=` among all fields, and takes
 * time that grows with the square of the length of a `Received`. Real fields are a quarter as long.
 */
const MAX_OCTETS: ReadonlyMap<string, number> = new Map([
  ["dkim-signature", 8_192],
  ["arc-seal", 8_192],
  ["arc-message-signature", 8_192],
  ["received", 2_048],
]);

/** When signatures are checked, longer lines of a body are kept in memory, and looked at again for each chunk. */
const LONGEST_LINE = 64 * 1024;
const SIGNATURES = ["dkim-signature", "arc-seal", "arc-message-signature", "arc-authentication-results"];

const LF = 0x0a;

/** The octets, until nobody is waiting for the check anymore. */
async function* octetsOf(body: MailBody, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of body.read()) {
    signal.throwIfAborted();
    yield chunk;
  }
}

const hasLongLine = async (octets: AsyncIterable<Uint8Array>): Promise<boolean> => {
  let length = 0;
  for await (const chunk of octets) {
    const end = chunk.indexOf(LF);
    length += end < 0 ? chunk.length : end;
    if (length > LONGEST_LINE) return true;
    if (end >= 0) length = chunk.length - 1 - chunk.lastIndexOf(LF);
  }
  return false;
};

const isTooLong = ({ name, raw }: HeaderField): boolean => raw.length > (MAX_OCTETS.get(name) ?? Infinity);

/** Removes the fields that would take too long to check: the header is checked before anything else is known about the message. */
const withoutExcess = (header: readonly HeaderField[]): readonly HeaderField[] => {
  const fields = header.filter((field) => !isTooLong(field));
  const signatures = fields.filter(({ name }) => name === "dkim-signature");
  const excess = new Set(signatures.slice(MAX_SIGNATURES));
  return fields.filter((field) => !excess.has(field));
};

/**
 * The results as the value of a field: mailauth quotes what senders wrote, and nothing in it may end the field. Drops the
 * authserv-id at the beginning, which the core writes itself.
 */
const resultsOf = (value: string): string =>
  value
    .slice(value.indexOf(";") + 1)
    .split("\r\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\r\n\t")
    .replace(/[^\r\n\t -~]|\r(?!\n)|(?<!\r)\n/g, "?")
    .trim() || "none";

const isSignature = ({ name }: HeaderField): boolean => SIGNATURES.includes(name);

async function* contentOf({ header, body }: ArrivedMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const fields = withoutExcess(HeaderFields.split(header));
  const isUncheckable = fields.some(isSignature) && (await hasLongLine(octetsOf(body, signal)));
  const checked = isUncheckable ? fields.filter((field) => !isSignature(field)) : fields;
  yield Buffer.from(`${HeaderFields.join(checked)}\r\n`, "latin1");
  yield* octetsOf(body, signal);
}

/** What somebody has registered: one label below a suffix of the Public Suffix List, companies' such as uk.com included. Null for a suffix. */
const registeredDomain = (domain: string): string | null =>
  getDomain(domain, { allowPrivateDomains: true, extractHostname: false });

/**
 * Whether whoever may write for the domain may write as the author: it is the author's domain or, if DMARC found it aligned, one of the same
 * organization by the Public Suffix List too. Neither is enough: a registry with a DMARC record of its own is one organization with all that
 * it registered (RFC 9989, section 4.10.2), and the list does not know everybody who gives away subdomains.
 */
const speaksFor = (author: string, domain: string, isAligned: boolean): boolean => {
  const registered = registeredDomain(author);
  return domain === author || (isAligned && registered !== null && registered === registeredDomain(domain));
};

const spfAligns = ({ spf, dmarc }: Checks, author: string): boolean => {
  if (spf === false || spf.status.result !== "pass") return false;
  const isAligned =
    dmarc !== false && dmarc.status.result === "pass" && dmarc.alignment.spf.result !== undefined;
  return speaksFor(author, spf.domain.toLowerCase(), isAligned);
};

/** The names are those that the core reads in the covered lines: mailauth may see another field in them. */
const alignedSignatures = ({ dkim, dmarc }: Checks, author: string): Alignment["signatures"] => {
  // Otherwise mailauth has only guessed what is aligned.
  const isKnown = dmarc !== false && dmarc.status.result === "pass";
  return dkim.results
    .filter(
      ({ status, signingDomain = "" }) =>
        status.result === "pass" &&
        speaksFor(author, signingDomain.toLowerCase(), isKnown && typeof status.aligned === "string"),
    )
    .map(({ status, signingHeaders }) => ({
      wholeBody: status.underSized === undefined,
      fields: (signingHeaders?.headers ?? []).flatMap(HeaderFields.split).map(({ name }) => name),
    }));
};

/** Whether the domain is the author's, or of the same organization, as far as is known. */
const couldAlign = (domain: string, author: string, { dmarc }: Checks): boolean => {
  const organization = dmarc === false ? author : dmarc.domain.toLowerCase();
  return domain === author || domain === organization || domain.endsWith(`.${organization}`);
};

/** Whether nothing else could have passed in alignment, had all name servers answered. */
const isComplete = (checks: Checks, author: string | null): boolean => {
  const { spf, dkim, dmarc } = checks;
  if (author === null) return true;
  return (
    (dmarc === false || dmarc.status.result !== "temperror") &&
    (spf === false ||
      spf.status.result !== "temperror" ||
      !couldAlign(spf.domain.toLowerCase(), author, checks)) &&
    dkim.results.every(({ status }) => status.result !== "temperror" || typeof status.aligned !== "string")
  );
};

const alignmentOf = (checks: Checks, author: string | null): Alignment => ({
  spf: author !== null && spfAligns(checks, author),
  signatures: author === null ? [] : alignedSignatures(checks, author),
  complete: isComplete(checks, author),
});

const verify = async (
  message: ArrivedMessage,
  name: string,
  resolver: Lookup,
  signal: AbortSignal,
): Promise<Checks> => {
  const { session, returnPath } = message;
  const content = Readable.from(contentOf(message, signal), { objectMode: false });
  try {
    const checks = await check(content, {
      ...(session !== null && { ip: session.clientAddress, helo: session.clientName }),
      sender: returnPath,
      mta: name,
      resolver,
      disableBimi: true,
    });
    // Without a client, mailauth says that SPF could not be checked for now.
    return session === null ? { ...checks, spf: false } : checks;
  } finally {
    // If the check failed before the end, nothing else closes the file of the body.
    content.destroy();
  }
};

const checkedBy = (checks: Checks): Checked => {
  const { spf, dmarc, arc } = checks;
  const author =
    dmarc === false ? null : (dmarc.status.header?.from?.toLowerCase().replace(/\.$/, "") ?? null);
  return {
    authentication: {
      authorDomain: author,
      spf: verdictOf(spf === false ? undefined : spf.status.result),
      dmarc:
        dmarc === false
          ? { verdict: "none", policy: "none" }
          : { verdict: verdictOf(dmarc.status.result), policy: policyOf(dmarc.policy) },
      arc:
        arc !== false && (arc.status.result === "pass" || arc.status.result === "fail")
          ? arc.status.result
          : "none",
      results: resultsOf(arc === false ? "" : (arc.authResults ?? "")),
    },
    alignment: alignmentOf(checks, author),
  };
};

/**
 * Checks who sent a message: SPF, DKIM, DMARC and ARC. Never rejects, and ends within 30 seconds: what cannot be checked is a
 * `temperror`. The signatures of a message with a line of more than 64 KiB are treated as absent. SPF needs a client: without one, it
 * counts as `none`, also for DMARC.
 *
 * @param name this server's, as which it asks
 */
export const authenticate = async (
  message: ArrivedMessage,
  name: string,
  resolver: Lookup,
  checkMs = CHECK_MS,
): Promise<Checked> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Checked>();
  const controller = new AbortController();
  const timer = setTimeout(() => {
    // Nobody is waiting for the check anymore, and the client can send the next message.
    controller.abort();
    resolve(UNKNOWN);
  }, checkMs);
  try {
    const checked = verify(message, name, resolver, controller.signal).then(checkedBy);
    return await Promise.race([checked, tooLate]);
  } catch {
    // mailauth can fail on unforeseen input, and the body can be gone.
    return UNKNOWN;
  } finally {
    clearTimeout(timer);
  }
};
