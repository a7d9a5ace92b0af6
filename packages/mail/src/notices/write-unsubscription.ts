import { EmailAddress, type MessageId } from "@postern/core";
import { displayText, unstructured } from "../header/encoded-words.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import type { Mailto } from "../header/mailto.ts";
import { toOctets, utf8 } from "../header/octets.ts";
import { writeField } from "../header/write-field.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: matching them is the point
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

const bodyOf = (text: string): string => {
  const lines = text.replace(CONTROLS, "").replace(/\r\n|\r|\n/g, "\r\n");
  return lines === "" || lines.endsWith("\r\n") ? lines : `${lines}\r\n`;
};

/**
 * The message from an alias that unsubscribes it from a list. It says only what the list has asked for (RFC 6068). Without a subject, it is
 * `unsubscribe`. Header and body are as in `ReceivedMessage` and `MailBody`.
 */
export const writeUnsubscription = (
  { to, subject, body }: Mailto,
  alias: EmailAddress,
  /** Of the message that is written. */
  id: MessageId,
  /** In epoch milliseconds. */
  now: number,
): { readonly header: string; readonly body: Uint8Array } => {
  const text = utf8(bodyOf(body ?? ""));
  const isAscii = /^[\t\r\n -~]*$/.test(text);
  const header = HeaderFields.join([
    writeField("From", `<${alias}>`),
    writeField("To", `<${to}>`),
    writeField("Subject", unstructured(displayText(subject ?? "") || "unsubscribe")),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${id}@${EmailAddress.domain(alias)}>`),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", `text/plain; charset=${isAscii ? "us-ascii" : "utf-8"}`),
    writeField("Content-Transfer-Encoding", isAscii ? "7bit" : "8bit"),
  ]);
  return { header, body: toOctets(text) };
};
