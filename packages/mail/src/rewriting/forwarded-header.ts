import { type Concealment, EmailAddress, reverseAddress, type Secrets, type SpoolId } from "@postern/core";
import type { CopyPurpose } from "../copy/purpose.ts";
import { parseAddressList } from "../header/address-list.ts";
import { addressOf, authorsOf, comparableDomain, domainOf } from "../header/authors.ts";
import { phrase } from "../header/encoded-words.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { headerTokens } from "../header/header-tokens.ts";
import { internetDate } from "../header/internet-date.ts";
import { utf8 } from "../header/octets.ts";
import { wellFormedField } from "../header/well-formed-field.ts";
import { MAX_FIELD_NAME_LENGTH, writeField } from "../header/write-field.ts";
import { LOOP_FIELD, loopMark, loopMarks } from "../message/loops.ts";
import type { ReceivedMessage } from "../message/message.ts";
import { messageReference } from "../message/message-reference.ts";
import { unsubscribeAddress } from "../message/unsubscription.ts";
import { listsThroughAlias } from "./list-fields.ts";
import { shownAddress, shownSender } from "./shown-sender.ts";
import {
  contactAddresses,
  MAX_ORIGINAL_LENGTH,
  originals,
  replyToField,
  throughAlias,
} from "./through-alias.ts";

type Purpose = Extract<CopyPurpose, { readonly kind: "forward" | "postmaster" }>;

/** Replaced, meant for the sender's own server, invalid once forwarded, or misleading from anybody but us. */
const DROPPED = new Set([
  ...["from", "sender", "reply-to", "return-path", "bcc", "delivered-to", "errors-to"],
  ...["dkim-signature", "domainkey-signature"],
  // Clients send replies and receipts there, from the mailbox itself.
  ...["disposition-notification-to", "return-receipt-to", "return-receipt-requested", "read-receipt-to"],
  ...["x-confirm-reading-to", "generate-delivery-report", "x-chameleon-return-to", "x-receipt-to"],
  ...["acknowledge-to", "x-acknowledge-to", "x-read-notification-to", "receipt-requested", "x-pmrqc"],
  ...[
    "registered-mail-reply-requested-by",
    "mail-followup-to",
    "mail-reply-to",
    "mail-copies-to",
    "x-reply-to",
  ],
  "list-post",
  ...["x-original-from", "x-original-reply-to"],
  // Instructions to send the message later, to others as well, from elsewhere, or without a report: PowerMTA and the like, X.400, Exchange.
  ...[
    "x-virtual-mta",
    "x-virtualmta",
    "x-job",
    "x-envid",
    "x-dkim-options",
    "x-sender",
    "x-receiver",
    "x-binding",
  ],
  ...["deferred-delivery", "latest-delivery-time", "x-send-after", "alternate-recipient"],
  ...["originator-return-address", "prevent-nondelivery-report", "resend-idempotency-key"],
]);
const DROPPED_PREFIXES = [
  "x-postern-",
  // Some programs send to `Resent-To` and the like instead of To.
  "resent-",
  // Providers take instructions from these, such as to send the message to others as well: whoever writes to an alias is not their
  // customer.
  ...["apparently-to", "x-smtpapi", "x-sg-", "x-ses-", "x-mailgun-", "x-msys-", "x-pm-", "x-mc-", "x-mj-"],
  ...[
    "x-mailjet-",
    "x-mailin-",
    "x-sib-",
    "x-elasticemail-",
    "x-smtpeter-",
    "x-greenarrow-",
    "x-mailersend-",
  ],
  ...["x-mt-", "x-tm-", "x-xs", "x-apiheader"],
  // Exchange trusts a message with these as one from its own organization.
  ...["x-ms-exchange-organization-", "x-ms-exchange-forest-"],
];

/** Relays refuse messages in which one of these is repeated. */
const KEPT_ONCE = new Set([
  ...["to", "cc", "subject", "date", "message-id", "mime-version", "in-reply-to", "references"],
]);
const KEPT_ONCE_PREFIXES = ["content-", "list-"];

const beginsWithOneOf = (prefixes: readonly string[], name: string): boolean =>
  prefixes.some((prefix) => name.startsWith(prefix));

/** Whether a field claims to be the result of our own checks (RFC 8601, section 5). */
const isOurResult = (field: HeaderField, serverName: string): boolean =>
  field.name === "authentication-results" &&
  headerTokens(HeaderFields.value(field))
    .find(({ kind }) => kind === "word" || kind === "quoted")
    ?.text.toLowerCase() === serverName.toLowerCase();

/** The fields of the received header that are kept. */
const keptFields = (fields: readonly HeaderField[], serverName: string): readonly HeaderField[] => {
  const once = new Set<string>();
  return fields
    .filter((field) => {
      const { name } = field;
      if (name === "" || name.length > MAX_FIELD_NAME_LENGTH) return false;
      if (DROPPED.has(name) || beginsWithOneOf(DROPPED_PREFIXES, name)) return false;
      if (isOurResult(field, serverName)) return false;
      if (!KEPT_ONCE.has(name) && !beginsWithOneOf(KEPT_ONCE_PREFIXES, name)) return true;
      const first = !once.has(name);
      once.add(name);
      return first;
    })
    .map(wellFormedField);
};

const original = (value: string): string =>
  value.length <= MAX_ORIGINAL_LENGTH
    ? value
    : `<${utf8(shownAddress(parseAddressList(value)[0]?.address ?? ""))}>`;

/** Where the message was sent. Owners filter by the tag, which the other fields often lack. */
const sentTo = (purpose: Purpose): string => {
  if (purpose.kind === "postmaster") return purpose.address;
  const { alias, tag } = purpose;
  return tag === null
    ? alias.email
    : `${EmailAddress.localPart(alias.email)}+${tag}@${EmailAddress.domain(alias.email)}`;
};

/** A field with the value of one that arrived, unless that was missing or empty. */
const repeated = (name: string, value: string | undefined): readonly HeaderField[] =>
  value ? [writeField(name, original(value))] : [];

const received = ({ session, id, createdAt }: ReceivedMessage, serverName: string): HeaderField => {
  const at = `id ${id}; ${internetDate(createdAt)}`;
  // Whoever took it from the client has written who that was.
  if (session === null) return writeField("Received", `by ${serverName} ${at}`);
  // The client chooses its name.
  const clientName = session.clientName.slice(0, 255).replace(/[^A-Za-z0-9.:_[\]-]/g, "?") || "unknown";
  const ip = `${session.clientAddress.includes(":") ? "IPv6:" : ""}${session.clientAddress}`;
  return writeField(
    "Received",
    `from ${clientName} ([${ip}]) by ${serverName} with ${session.protocol} ${at}`,
  );
};

/**
 * The header with which a message is forwarded. It is the same for all copies for one alias, because it does not depend on the recipient.
 * In the form of `ReceivedMessage.header`.
 *
 * `From` names the author, but its address is on the alias domain: most relays refuse other addresses, and DMARC fails for them. The name
 * says so if it is not certain that the author wrote the message. The operator can reply by way of `Reply-To`. Replies to a message that an
 * alias forwarded go to its contacts: `From`, `Reply-To`, To and Cc have no other addresses, and the message ids are exchanged
 * (`exchangedId`).
 */
export const forwardedHeader = (
  message: ReceivedMessage,
  purpose: Purpose,
  {
    serverName,
    spool,
    secrets,
  }: {
    /** Our name in `Received` and `Authentication-Results`. */
    readonly serverName: string;
    /** The spool that has the message. */
    readonly spool: SpoolId;
    readonly secrets: Pick<Secrets, "hash"> & Concealment;
  },
): string => {
  const { hash } = secrets;
  const address = purpose.kind === "forward" ? purpose.alias.email : purpose.address;
  const fields = HeaderFields.split(message.header);
  const asSent = keptFields(fields, serverName);
  const reference = messageReference(hash, message.id, address);
  const kept =
    purpose.kind === "forward"
      ? listsThroughAlias(
          throughAlias(asSent, purpose, secrets),
          unsubscribeAddress(reference, spool, EmailAddress.domain(address)),
        )
      : asSent;
  const isKept = (name: string) => kept.some((field) => field.name === name);

  const [from, ...otherFroms] = HeaderFields.values(fields, "from");
  const replyTo = HeaderFields.values(fields, "reply-to").join(", ");
  const [author, ...otherAuthors] = authorsOf(fields, message.returnPath);
  const sender = author ?? { name: "", address: "" };
  const { authorDomain, dmarc } = message.authentication;
  const domain = domainOf(sender);
  // If the policy is `reject`, the operator has chosen to forward it anyway. Only one author is checked.
  const unverified =
    authorDomain === null ||
    domain === null ||
    domain !== comparableDomain(authorDomain) ||
    (dmarc.verdict === "fail" && dmarc.policy !== "none") ||
    otherFroms.length + otherAuthors.length > 0;
  const email = addressOf(sender);
  const reverse =
    (purpose.kind === "forward" && email !== null
      ? contactAddresses(purpose).get(EmailAddress.key(email))
      : undefined) ?? reverseAddress(hash, address, sender.address);
  const mark = loopMark(hash);

  return HeaderFields.join([
    received(message, serverName),
    writeField(
      "Authentication-Results",
      `${serverName}; ${message.authentication.results.replace(/[^\t-\r -~]/g, "?") || "none"}`,
    ),
    ...loopMarks(fields)
      .filter((other) => other !== mark)
      .map((other) => writeField(LOOP_FIELD, other)),
    writeField(LOOP_FIELD, mark),
    writeField("X-Postern-Message", reference),
    writeField("X-Postern-Alias", sentTo(purpose)),
    ...repeated("X-Original-From", from),
    ...repeated("X-Original-Reply-To", replyTo),
    ...(purpose.kind === "forward" ? originals(asSent, kept) : []),
    writeField("From", `${phrase(shownSender(sender, unverified))} <${reverse}>`),
    ...(purpose.kind === "forward"
      ? replyToField(fields, purpose, reverse)
      : repeated("Reply-To", replyTo || from)),
    ...(isKept("date") ? [] : [writeField("Date", internetDate(message.createdAt))]),
    ...(isKept("message-id")
      ? []
      : [writeField("Message-ID", `<${message.id}@${EmailAddress.domain(address)}>`)]),
    ...kept,
  ]);
};
