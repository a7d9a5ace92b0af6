import type { CopyId, EmailAddress, PortResult } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { AliasAddress } from "../copy/purpose.ts";
import type { ReportResult } from "../delivery-reports/record-report.ts";
import type { MailTransaction } from "../message/mail-transaction.ts";
import type { AdmittedRecipient, admitRecipient, RecipientRefusal } from "./admit-recipient.ts";

/** The recipient of an alias who wrote what a message answers. */
export type AnsweredAuthor = {
  readonly kind: "author";
  readonly alias: AliasAddress;
  readonly author: EmailAddress;
  /** The contact that the answered message was sent to. */
  readonly contact: EmailAddress;
};

/** The message is no report of delivery, and the address is for nothing else. */
export type NotAReport = { readonly code: "not_a_report" };

/**
 * Whether a message to the address of a copy is no report of delivery, but from somebody or from a program that speaks for them, by what
 * `recordReport` made of it. A report that says nothing that can be read is still one.
 */
export const isAnswer = (result: ReportResult): boolean =>
  result === "auto_reply" || result === "read_receipt" || result === "no_report";

/**
 * Where an answer to the address of a copy goes. Programs such as autoresponders send theirs to the envelope sender (RFC 3834, section 4).
 * If the copy is of a message that a recipient of an alias wrote, the answer is mail to the alias, for that recipient alone: it is refused,
 * and counts as blocked, if the alias does not accept mail. Answers to other copies are refused. They are from the recipients of an alias,
 * and would name their mailboxes to its contacts; or to Postern itself.
 */
export const admitAnswer =
  ({ spool }: Pick<MailContext, "spool">, admit: ReturnType<typeof admitRecipient>) =>
  async (
    /** Null for the sender of the verification messages. */
    copy: CopyId | null,
    transaction?: MailTransaction,
  ): PortResult<
    AnsweredAuthor | Exclude<AdmittedRecipient, { readonly kind: "alias" }>,
    RecipientRefusal | NotAReport
  > => {
    const found = copy === null ? ok(null) : await spool.find(copy);
    if (found.isErr()) return err(found.error);
    if (found.value?.copy.purpose.kind !== "reply") return err({ code: "not_a_report" });
    const { to: contact, purpose } = found.value.copy;
    const { alias, author } = purpose;
    return (await admit(alias.email, transaction)).map((admitted) =>
      admitted.kind === "alias" ? { kind: "author", alias: admitted.alias, author, contact } : admitted,
    );
  };
