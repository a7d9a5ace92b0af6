import { err, ok } from "neverthrow";
import { type AliasAddress, Copy } from "../../mail/copy.ts";
import { failureNotice, type NoticeMode, noticeAddress } from "../../mail/failure-notice.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import type { Message } from "../../mail/message.ts";
import { inOneChunk, toOctets } from "../../mail/octets.ts";
import type { Mailing, Spool, SpoolFull } from "../../mail/ports.ts";
import type { Clock, PortResult, Secrets } from "../../ports.ts";

/**
 * The notice to the sender of a message that it reached no recipient of the alias, for `settle` and `report` of the spool;
 * null if its sender gets none. Its body has been received by the spool.
 */
export const prepareNotice =
  ({
    notices,
    serverName,
    spool,
    secrets,
    clock,
  }: {
    readonly notices: NoticeMode;
    /** The name of this server. */
    readonly serverName: string;
    readonly spool: Pick<Spool, "receive">;
    readonly secrets: Pick<Secrets, "random">;
    readonly clock: Pick<Clock, "now">;
  }) =>
  async (message: Message, alias: Pick<AliasAddress, "email">): PortResult<Mailing | null, SpoolFull> => {
    if (message.origin === "own") return ok(null);
    const to = noticeAddress(message, notices);
    if (to === null) return ok(null);
    const now = clock.now();
    const id = newMessageId(secrets.random);
    const { header, body } = failureNotice({ id, to, alias, original: message, serverName, now });
    const received = await spool.receive(inOneChunk(toOctets(body)));
    if (received.isErr()) return err(received.error);
    const size = header.length + "\r\n".length + received.value.size;
    const copy = { id: newCopyId(secrets.random), message: id, to, purpose: { kind: "notice" } } as const;
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
