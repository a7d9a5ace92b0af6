import { EmailAddress, type MessageId } from "@postern/core";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import { writeField } from "../header/write-field.ts";

/** Why an alias has ended. */
export type AliasEnd = "its time is over" | "its last message has arrived";

const REASONS: Readonly<Record<AliasEnd, readonly string[]>> = {
  "its time is over": ["It was set to accept mail until a certain time, which has passed."],
  "its last message has arrived": [
    "It was set to accept a certain number of messages, and the last of",
    "them has arrived.",
  ],
};

/**
 * The message that tells the recipients of an alias that it has ended. It is addressed to the alias, so that it does not reveal any of them
 * to the others. Header and body are as in `ReceivedMessage` and `MailBody`, in ASCII.
 */
export const endNotice = ({
  id,
  alias,
  end,
  now,
}: {
  /** The id of the notice. */
  readonly id: MessageId;
  readonly alias: EmailAddress;
  readonly end: AliasEnd;
  /** In epoch milliseconds. */
  readonly now: number;
}): { readonly header: string; readonly body: string } => {
  const domain = EmailAddress.domain(alias);
  const header = HeaderFields.join([
    writeField("From", `"Mail Delivery System" <postmaster@${domain}>`),
    writeField("To", `<${alias}>`),
    writeField("Subject", `Switched off: ${alias}`),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${id}@${domain}>`),
    writeField("Auto-Submitted", "auto-generated"),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", "text/plain; charset=us-ascii"),
  ]);
  const body = [
    "The alias",
    "",
    `    ${alias}`,
    "",
    "which forwards to this mailbox, no longer accepts mail.",
    ...REASONS[end],
    "",
    "Its owner can switch it on again.",
    "",
    "This message was sent automatically.",
    "",
  ].join("\r\n");
  return { header, body };
};
