import { err, ok } from "neverthrow";
import { Copy } from "../../mail/copy.ts";
import { failureNotice, type NoticeMode, noticeAddress } from "../../mail/failure-notice.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import { messageSize } from "../../mail/message.ts";
import { inOneChunk, toOctets } from "../../mail/octets.ts";
import type { Concealment, DueCopy, Mailing, Spool, SpoolFull } from "../../mail/ports.ts";
import { withExchangedIds } from "../../mail/through-alias.ts";
import type { Clock, PortResult, Secrets } from "../../ports.ts";
import { EmailAddress } from "../../values/email-address.ts";

/** A copy that failed, with its message. */
export type FailedCopy = Pick<DueCopy, "copy" | "message">;

/** Who gets a notice that the copy failed, and about which message; null for none. */
const noticeOf = (
  { copy: { to, purpose }, message }: FailedCopy,
  notices: NoticeMode,
  concealment: Concealment,
): Pick<Parameters<typeof failureNotice>[0], "to" | "from" | "failed" | "original"> | null => {
  if (purpose.kind === "forward" && message.origin === "received") {
    const { email } = purpose.alias;
    const sender = noticeAddress(message, notices);
    return sender && { to: sender, from: EmailAddress.domain(email), failed: email, original: message };
  }
  if (purpose.kind === "reply") {
    const { email } = purpose.alias;
    // Its author knows it by the ids that it was written with.
    const original = { ...message, header: withExchangedIds(message.header, email, concealment) };
    return { to: purpose.author, from: EmailAddress.domain(email), failed: to, original };
  }
  return null;
};

/**
 * The notice to the sender of a message that it reached no recipient of the alias, or to the author of a reply that it did not reach
 * a contact, for `settle` and `report` of the spool; null if nobody gets one. Its body has been received by the spool.
 */
export const prepareNotice =
  ({
    notices,
    serverName,
    spool,
    secrets,
    clock,
  }: {
    /** Which senders get notices. Authors of replies always do: their identity has been verified. */
    readonly notices: NoticeMode;
    /** The name of this server. */
    readonly serverName: string;
    readonly spool: Pick<Spool, "receive">;
    readonly secrets: Pick<Secrets, "random"> & Concealment;
    readonly clock: Pick<Clock, "now">;
  }) =>
  async (failed: FailedCopy): PortResult<Mailing | null, SpoolFull> => {
    const notice = noticeOf(failed, notices, secrets);
    if (notice === null) return ok(null);
    const now = clock.now();
    const id = newMessageId(secrets.random);
    const { header, body } = failureNotice({ id, ...notice, serverName, now });
    const received = await spool.receive(inOneChunk(toOctets(body)));
    if (received.isErr()) return err(received.error);
    const size = messageSize(header, received.value.size);
    const copy = {
      id: newCopyId(secrets.random),
      message: id,
      to: notice.to,
      purpose: { kind: "notice" },
    } as const;
    return ok({
      message: { origin: "own", id, createdAt: now, header, size },
      body: received.value,
      copies: [Copy.create(copy, now)],
    });
  };

/** Stores something with a notice, if there is one. If that fails, the notice is discarded, unless it was kept nevertheless. */
export const storeWithNotice = async <T>(
  notice: Mailing | null,
  store: (notice: Mailing | null) => PortResult<T>,
): PortResult<T> => {
  const stored = await store(notice);
  if (stored.isErr()) await notice?.body.discard();
  return stored;
};
