import { err, ok } from "neverthrow";
import { Copy } from "../../mail/copy.ts";
import { newCopyId, newMessageId } from "../../mail/mail-ids.ts";
import { messageSize } from "../../mail/message.ts";
import { inOneChunk } from "../../mail/octets.ts";
import type { Spool, VerificationWriter } from "../../mail/ports.ts";
import type { Clock, Secrets, VerificationMail } from "../../ports.ts";
import type { Domain } from "../../values/email-address.ts";

const SPOOL_FULL = { source: "mail", reason: "the spool has no space for a verification message" };
const NOT_OURS = { source: "mail", reason: "the link was sealed with other secrets" };

/**
 * Stores verification messages in the spool, from where the mail plane sends them, signs them, and tries again for an hour. What
 * becomes of them is recorded by `tellOutcomes`. A message that is not stored for certain is `not_sent`.
 */
export const queuedVerificationMail = ({
  spool,
  writer,
  secrets,
  clock,
  domain,
}: {
  readonly spool: Pick<Spool, "receive" | "keep">;
  readonly writer: VerificationWriter;
  /** Those that seal the links. */
  readonly secrets: Pick<Secrets, "open" | "random">;
  readonly clock: Pick<Clock, "now">;
  /** The alias domain that signs the messages, and to which reports about them return. */
  readonly domain: Domain;
}): VerificationMail => ({
  queues: true,
  send: async ({ to, token }) => {
    const claims = secrets.open(token);
    if (claims === null) return err({ code: "not_sent", cause: NOT_OURS });
    const { account, recipientId: recipient, nonce, expiresAt } = claims;
    const written = await writer.write({ to, token });
    if (written.isErr()) return err({ code: "not_sent", cause: written.error.cause });
    const { header, body } = written.value;
    const received = await spool.receive(inOneChunk(body));
    if (received.isErr()) {
      const { error } = received;
      return err({ code: "not_sent", cause: error.code === "spool_full" ? SPOOL_FULL : error.cause });
    }
    const now = clock.now();
    const id = newMessageId(secrets.random);
    const purpose = { kind: "verification", account, recipient, nonce, expiresAt, domain } as const;
    const size = messageSize(header, received.value.size);
    const kept = await spool.keep({
      message: { origin: "own", id, createdAt: now, header, size },
      body: received.value,
      copies: [Copy.create({ id: newCopyId(secrets.random), message: id, to, purpose }, now)],
    });
    if (kept.isOk()) return ok();
    // Has no effect if it was kept nevertheless.
    await received.value.discard();
    return err(kept.error.code === "spool_full" ? { code: "not_sent", cause: SPOOL_FULL } : kept.error);
  },
});
