import { type Domain, EmailAddress, type MessageId, parseEmailAddress } from "@postern/core";
import type { NoticeMode } from "../context.ts";
import { authorsIn, domainOf } from "../header/authors.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import { writeField } from "../header/write-field.ts";
import type { ReceivedMessage } from "../message/message.ts";

/** The only fields of a message's header that are repeated: those that its sender wrote and needs to recognize it. */
const REPEATED = [
  "from",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "content-type",
];
/** The fields that are remembered: besides these, what a recipient needs to unsubscribe (`unsubscribeMailto`). */
const REMEMBERED = [...REPEATED, "list-unsubscribe"];
/** In octets. Anything more is cut off at the end of a line. */
const MAX_REPEATED = 16 * 1024;

/**
 * The part of a header that is remembered once its message is finished: what `noticeAddress`, `failureNotice` and `unsubscribeMailto` use,
 * at most 16 KiB.
 */
export const rememberedHeader = (header: string): string => {
  const seen = new Set<string>();
  let octets = 0;
  const remembered = HeaderFields.split(header).filter(({ name, raw }) => {
    // If there are two authors, nobody is notified, so all `From` fields are kept.
    const isNeeded = REMEMBERED.includes(name) && (name === "from" || !seen.has(name));
    seen.add(name);
    if (!isNeeded || octets + raw.length > MAX_REPEATED) return false;
    octets += raw.length;
    return true;
  });
  return HeaderFields.join(remembered);
};

/** Whether whoever owns `domain` also owns `other`. */
const includes = (domain: string, other: string): boolean => other === domain || other.endsWith(`.${domain}`);

const authorDomains = (header: string): readonly (string | null)[] =>
  HeaderFields.values(HeaderFields.split(header), "from").flatMap(authorsIn).map(domainOf);

/**
 * Who is told that a message reached nobody; null if nobody is. A notice to an address that somebody else made up would be
 * spam, so the address must have passed SPF, or belong to the domain of an author that passed DMARC.
 */
export const noticeAddress = (
  { returnPath, header, authentication }: Pick<ReceivedMessage, "returnPath" | "header" | "authentication">,
  mode: NoticeMode,
): EmailAddress | null => {
  if (mode === "never") return null;
  const address = parseEmailAddress(returnPath).unwrapOr(null);
  if (address === null) return null;
  if (authentication.spf === "pass") return address;
  if (authentication.dmarc.verdict !== "pass") return null;
  const [author, ...others] = authorDomains(header);
  // Of several authors, only one was checked.
  const isAuthor =
    typeof author === "string" && others.length === 0 && includes(author, EmailAddress.domain(address));
  return isAuthor ? address : null;
};

/**
 * The message that tells a sender that nobody received their message at the address that it was sent to (RFC 3464), an alias or a contact.
 * It names only that address: neither the recipients of an alias nor anything that their servers said. Header and body are as in
 * `ReceivedMessage` and `MailBody`, in ASCII.
 */
export const failureNotice = ({
  id,
  to,
  from,
  failed,
  original,
  serverName,
  now,
}: {
  /** The id of the notice. */
  readonly id: MessageId;
  readonly to: EmailAddress;
  /** The alias domain that the notice is from. */
  readonly from: Domain;
  /** Where the message was sent. */
  readonly failed: EmailAddress;
  readonly original: Pick<ReceivedMessage, "header" | "createdAt">;
  readonly serverName: string;
  /** In epoch milliseconds. */
  readonly now: number;
}): { readonly header: string; readonly body: string } => {
  const boundary = `=_${id}`;
  const fields = HeaderFields.split(original.header);
  const [messageId] = HeaderFields.values(fields, "message-id");
  const header = HeaderFields.join([
    writeField("From", `"Mail Delivery System" <postmaster@${from}>`),
    writeField("To", `<${to}>`),
    writeField("Subject", `Undelivered: your message to ${failed}`),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${id}@${from}>`),
    ...(messageId === undefined || messageId.length > 900 || !/^<[!-~]+>$/.test(messageId)
      ? []
      : [writeField("In-Reply-To", messageId), writeField("References", messageId)]),
    writeField("Auto-Submitted", "auto-replied"),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", `multipart/report; report-type=delivery-status; boundary="${boundary}"`),
  ]);
  const repeated = REPEATED.flatMap((name) => fields.find((field) => field.name === name) ?? [])
    .map((field) => writeField(field.raw.slice(0, field.name.length), HeaderFields.value(field)).raw)
    .join("")
    .replace(/[^\r\n -~]/g, "?");
  const body = [
    `--${boundary}`,
    "Content-Type: text/plain; charset=us-ascii",
    "",
    "Your message could not be delivered to",
    "",
    `    ${failed}`,
    "",
    "The mail servers behind this address refused it, or could not be reached for",
    "several days. No further attempts will be made.",
    "",
    "This message was sent automatically. The header of your message is attached.",
    "",
    `--${boundary}`,
    "Content-Type: message/delivery-status",
    "",
    `Reporting-MTA: dns; ${serverName}`,
    `Arrival-Date: ${internetDate(original.createdAt)}`,
    "",
    `Final-Recipient: rfc822; ${failed}`,
    "Action: failed",
    "Status: 5.0.0",
    "",
    `--${boundary}`,
    "Content-Type: text/rfc822-headers",
    "",
    repeated.slice(0, repeated.lastIndexOf("\n", MAX_REPEATED) + 1),
    `--${boundary}--`,
    "",
  ].join("\r\n");
  return { header, body };
};
