import type { Clock, Domain, Secrets, VerificationMail } from "@postern/core";
import { err } from "neverthrow";
import { discardUnlessStored, ownMailing, receivedMailing } from "../notices/own-mailing.ts";
import type { Spool } from "../spool.ts";
import type { VerificationWriter } from "./verification-writer.ts";

const SPOOL_FULL = { source: "mail", reason: "the spool has no space for a verification message" };
const NOT_OURS = { source: "mail", reason: "the link was sealed with other secrets" };

/**
 * Stores verification messages in the spool, from which the mail plane signs and sends them, retrying for an hour. `countOutcomes` records
 * what happens to them. A message that was definitely not stored is `not_sent`.
 */
export const queuedVerificationMail = ({
  spool,
  writer,
  secrets,
  clock,
  domain,
}: {
  readonly spool: Pick<Spool, "receive" | "keep">;
  readonly writer: Pick<VerificationWriter, "write">;
  /** The secrets that seal the links. */
  readonly secrets: Pick<Secrets, "open" | "random">;
  readonly clock: Pick<Clock, "now">;
  /** The alias domain that signs the messages and that receives reports about them. */
  readonly domain: Domain;
}): VerificationMail => ({
  queues: true,
  send: async ({ to, token }) => {
    const claims = secrets.open(token);
    if (claims === null) return err({ code: "not_sent", cause: NOT_OURS });
    const { account, recipientId: recipient, nonce, expiresAt } = claims;
    const purpose = { kind: "verification", account, recipient, nonce, expiresAt, domain } as const;
    const own = ownMailing(
      { secrets, clock },
      (id, now) => writer.write({ id, to, token, now }),
      [to],
      purpose,
    );
    const mailing = await receivedMailing(spool, own);
    if (mailing.isErr()) {
      const { error } = mailing;
      return err({ code: "not_sent", cause: error.code === "spool_full" ? SPOOL_FULL : error.cause });
    }
    const kept = await discardUnlessStored(mailing.value, await spool.keep(mailing.value));
    return kept.mapErr((error) =>
      error.code === "spool_full" ? { code: "not_sent", cause: SPOOL_FULL } : error,
    );
  },
});
