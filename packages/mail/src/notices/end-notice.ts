import { EmailAddress, type MessageId } from "@postern/core";
import { type Language, type Service, type Words, wordsIn } from "@postern/core/words";
import { phrase, unstructured } from "../header/encoded-words.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { internetDate } from "../header/internet-date.ts";
import { utf8 } from "../header/octets.ts";
import { writeField } from "../header/write-field.ts";

/** Why an alias has ended. */
export type AliasEnd = "its time is over" | "its last message has arrived";

const reasonOf = (end: AliasEnd, { timeOver, lastArrived }: Words["ended"]): string => {
  switch (end) {
    case "its time is over":
      return timeOver;
    case "its last message has arrived":
      return lastArrived;
  }
};

/**
 * The message that tells the recipients of an alias that it has ended. It is addressed to the alias, so that it does not reveal any of them
 * to the others. Header and body are as in `ReceivedMessage` and `MailBody`; the header is ASCII, the body UTF-8.
 */
export const endNotice = ({
  id,
  alias,
  end,
  service,
  language,
  now,
}: {
  /** The id of the notice. */
  readonly id: MessageId;
  readonly alias: EmailAddress;
  readonly end: AliasEnd;
  readonly service: Service;
  readonly language: Language;
  /** In epoch milliseconds. */
  readonly now: number;
}): { readonly header: string; readonly body: string } => {
  const domain = EmailAddress.domain(alias);
  const words = wordsIn(language).ended;
  const header = HeaderFields.join([
    writeField("From", `${phrase(service.name)} <postmaster@${domain}>`),
    writeField("To", `<${alias}>`),
    writeField("Subject", unstructured(words.subject(alias))),
    writeField("Date", internetDate(now)),
    writeField("Message-ID", `<${id}@${domain}>`),
    writeField("Auto-Submitted", "auto-generated"),
    writeField("MIME-Version", "1.0"),
    writeField("Content-Type", "text/plain; charset=utf-8"),
    // The signer encodes what is not ASCII.
    writeField("Content-Transfer-Encoding", "8bit"),
  ]);
  const body = [
    words.alias,
    "",
    `    ${alias}`,
    "",
    words.stopped,
    reasonOf(end, words),
    "",
    words.again,
    "",
    words.automatic,
    "",
  ].join("\r\n");
  return { header, body: utf8(body) };
};
