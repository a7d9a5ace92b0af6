import { EmailAddress, LINK_LIFETIME } from "@postern/core";
import { wordsIn } from "@postern/core/words";
import { phrase, unstructured } from "../header/encoded-words.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import { quotedPrintable } from "../header/octets.ts";
import { writeField } from "../header/write-field.ts";
import { type Slots, verificationHtml } from "./verification-html.ts";
import { verificationText } from "./verification-text.ts";

const HOUR = 60 * 60 * 1000;

/** No line of quoted-printable begins like this: the first `=` would be followed by hexadecimal digits. */
const BOUNDARY = "=_verification";

const part = (type: "plain" | "html", text: string): readonly string[] => [
  `--${BOUNDARY}`,
  `Content-Type: text/${type}; charset=utf-8`,
  "Content-Transfer-Encoding: quoted-printable",
  "",
  quotedPrintable(text),
];

/**
 * The message that asks the owner of the mailbox `to` to confirm, by opening `link`, that mail may be forwarded to it. It loads nothing
 * from the network, and asks auto-responders not to reply (RFC 3834). Header and body are as in `ReceivedMessage` and `MailBody`, in ASCII.
 */
export const verificationMessage = ({
  id,
  from,
  to,
  now,
  ...about
}: Omit<Slots, "hours"> & {
  /** What is unique in the Message-ID. */
  readonly id: string;
  readonly from: EmailAddress;
  readonly to: EmailAddress;
  /** In epoch milliseconds. */
  readonly now: number;
}): { readonly header: string; readonly body: string } => {
  const words = wordsIn(about.language).message;
  const { name } = about.service;
  const slots = { ...about, hours: LINK_LIFETIME / HOUR };
  const header = HeaderFields.join([
    writeField("From", `${phrase(name)} <${from}>`),
    writeField("To", to),
    writeField("Subject", unstructured(words.subject(name))),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${id}@${EmailAddress.domain(from)}>`),
    writeField("Auto-Submitted", "auto-generated"),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", `multipart/alternative; boundary="${BOUNDARY}"`),
  ]);
  const body = [
    ...part("plain", verificationText(words, slots)),
    ...part("html", verificationHtml(words, slots)),
    `--${BOUNDARY}--`,
    "",
  ].join("\r\n");
  return { header, body };
};
