import { err, ok, type Result } from "neverthrow";
import { EmailAddress } from "../values/email-address.ts";
import { addressOf, authorsIn } from "./authors.ts";
import { isReport } from "./delivery-report.ts";
import { type HeaderField, HeaderFields } from "./header-fields.ts";
import type { Authentication } from "./message.ts";

/** Why nobody is sent what somebody wrote to a contact of an alias. `code` is stable. */
export type ReplyRefusal =
  /** Its `From` is not exactly one of the recipients that the alias has now. */
  | { readonly code: "not_from_a_recipient" }
  /** Nothing shows that it comes from the domain in its `From`. */
  | { readonly code: "author_not_verified" }
  /** It could not be found out whether it does. */
  | { readonly code: "author_not_checked" };

/**
 * Whether a program has sent the message, and nobody wrote it: an answer to a message, or a report or receipt, which can contain
 * the address that it comes from. Such messages are not for contacts (RFC 3834, section 4: they go to the envelope sender).
 */
export const isAutomatic = (fields: readonly HeaderField[], returnPath: string): boolean => {
  const matches = (name: string, pattern: RegExp): boolean =>
    HeaderFields.values(fields, name).some((value) => pattern.test(value));
  return (
    returnPath === "" ||
    matches("auto-submitted", /^(?!no\b)/i) ||
    matches("precedence", /^(?:auto_reply|bulk|junk|list)\b/i) ||
    isReport(fields)
  );
};

const isVerified = ({ dmarc, aligned }: Pick<Authentication, "dmarc" | "aligned">): boolean =>
  dmarc.verdict === "pass" || (dmarc.verdict === "none" && aligned);

/**
 * The recipient of an alias that wrote a message to its contacts. What they get is from the alias, so nobody else may write it: it
 * has to pass DMARC, or SPF or DKIM in alignment with its `From` if the domain has no policy. The checks were for the domain in `From`
 * (`admitMessage`).
 */
export const replyAuthor = (
  fields: readonly HeaderField[],
  authentication: Pick<Authentication, "dmarc" | "aligned">,
  recipients: readonly EmailAddress[],
): Result<EmailAddress, ReplyRefusal> => {
  // First: otherwise anybody could find out, in the name of others, which of them is a recipient.
  if (authentication.dmarc.verdict === "temperror") return err({ code: "author_not_checked" });
  if (!isVerified(authentication)) return err({ code: "author_not_verified" });
  const [author, ...others] = HeaderFields.values(fields, "from").flatMap(authorsIn).map(addressOf);
  const mailbox = author === undefined || author === null ? null : EmailAddress.mailbox(author);
  const recipient = recipients.find((email) => EmailAddress.mailbox(email) === mailbox);
  return recipient === undefined || others.length > 0 ? err({ code: "not_from_a_recipient" }) : ok(recipient);
};
