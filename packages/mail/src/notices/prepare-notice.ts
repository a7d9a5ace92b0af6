import { type Concealment, EmailAddress, type MessageId } from "@postern/core";
import type { MailContext, NoticeMode } from "../context.ts";
import type { AliasAddress } from "../copy/purpose.ts";
import { withExchangedIds } from "../rewriting/through-alias.ts";
import type { DueCopy, OwnMailing } from "../spool.ts";
import { failureNotice, noticeAddress } from "./failure-notice.ts";
import { noticeMailing } from "./own-mailing.ts";

/** A copy that failed, with its message. */
export type FailedCopy = Pick<DueCopy, "copy" | "message">;

type Notice = Pick<Parameters<typeof failureNotice>[0], "to" | "from" | "failed" | "original"> & {
  /** The alias whose recipient it goes to; null if it goes to anybody else. */
  readonly recipientOf: AliasAddress | null;
};

/** Who gets a notice that the copy failed, and about which message; null for none. */
const noticeOf = (
  { copy: { to, purpose }, message }: FailedCopy,
  notices: NoticeMode,
  concealment: Concealment,
): Notice | null => {
  if (purpose.kind === "forward" && message.origin === "received") {
    const { email } = purpose.alias;
    const sender = noticeAddress(message, notices);
    if (sender === null) return null;
    return {
      to: sender,
      from: EmailAddress.domain(email),
      failed: email,
      original: message,
      recipientOf: null,
    };
  }
  if (purpose.kind === "reply") {
    const { email } = purpose.alias;
    // Its author knows it by the ids that it was written with.
    const original = { ...message, header: withExchangedIds(message.header, email, concealment) };
    return {
      to: purpose.author,
      from: EmailAddress.domain(email),
      failed: to,
      original,
      recipientOf: purpose.alias,
    };
  }
  return null;
};

/**
 * The notice to the sender of a message that it reached no recipient of the alias, or to the author of a reply that it did not reach a
 * contact, for the spool's `settle` and `report`; null if nobody gets one.
 */
export const prepareNotice =
  (context: MailContext) =>
  (failed: FailedCopy): OwnMailing | null => {
    const notice = noticeOf(failed, context.notices, context.secrets);
    if (notice === null) return null;
    const write = (id: MessageId, now: number) =>
      failureNotice({ id, ...notice, serverName: context.serverName, now });
    return noticeMailing(context, write, [notice.to], notice.recipientOf);
  };
