import { err } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { Unavailable } from "../../errors.ts";
import { Copy } from "../../mail/copy.ts";
import { type AliasEnd, endNotice } from "../../mail/end-notice.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import { messageSize } from "../../mail/message.ts";
import { inOneChunk, toOctets } from "../../mail/octets.ts";
import type { Spool, SpoolFull } from "../../mail/ports.ts";
import type { Clock, OnUnreported, PortResult, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";

const NO_SPACE: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "no space to tell that an alias has ended" },
};

/** Queues the notice to the recipients of an alias that it has ended. If that fails they are not told, which is reported. */
export const tellEnd = ({
  spool,
  secrets,
  clock,
  onUnreported,
}: {
  readonly spool: Pick<Spool, "receive" | "keep">;
  readonly secrets: Pick<Secrets, "random">;
  readonly clock: Pick<Clock, "now">;
  readonly onUnreported: OnUnreported;
}) => {
  const queue = async (
    { email, destinations }: Pick<Alias, "email" | "destinations">,
    end: AliasEnd,
  ): PortResult<void, SpoolFull> => {
    const now = clock.now();
    const id = newMessageId(secrets.random);
    const { header, body } = endNotice({ id, alias: email, end, now });
    const received = await spool.receive(inOneChunk(toOctets(body)));
    if (received.isErr()) return err(received.error);
    const size = messageSize(header, received.value.size);
    const copyTo = (to: EmailAddress): Copy =>
      Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose: { kind: "notice" } }, now);
    const [first, ...others] = destinations;
    const kept = await spool.keep({
      message: { origin: "own", id, createdAt: now, header, size },
      body: received.value,
      copies: [copyTo(first.email), ...others.map((other) => copyTo(other.email))],
    });
    if (kept.isErr()) await received.value.discard();
    return kept;
  };

  return async (alias: Pick<Alias, "email" | "destinations">, end: AliasEnd): Promise<void> => {
    const queued = await queue(alias, end);
    if (queued.isOk()) return;
    const { error } = queued;
    onUnreported(error.code === "unavailable" ? error : NO_SPACE);
  };
};
