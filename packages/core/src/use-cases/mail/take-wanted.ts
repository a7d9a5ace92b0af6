import { err, ok } from "neverthrow";
import { Copy, type CopyId, type Settlement, type VerificationPurpose } from "../../mail/copy.ts";
import type { DueCopy, Spool } from "../../mail/ports.ts";
import type { MailLedger, PortResult, Recipients, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import { mailboxKey } from "../shared/message-charge.ts";

/** After which a message is looked at again, if the store did not respond, in milliseconds. */
const STORE_PAUSE = 60_000;

/**
 * `Spool.take` without the verification messages that must not be sent any more: their link has expired, or a newer one has
 * replaced it; the recipient is verified or removed; or the owner of the mailbox wants no more of them. They are given up.
 * Those of which the store does not know at the moment stay in the queue.
 */
export const takeWanted = ({
  spool,
  recipients,
  mailLedger,
  secrets,
}: {
  readonly spool: Pick<Spool, "take" | "settle">;
  readonly recipients: Pick<Recipients, "find">;
  readonly mailLedger: Pick<MailLedger, "find">;
  readonly secrets: Pick<Secrets, "hash">;
}): Spool["take"] => {
  /** What could not be stored. These copies are handed out to nobody else. */
  let unsettled: readonly (readonly [CopyId, Settlement])[] = [];

  const isWanted = async (
    { account, recipient: id, nonce }: VerificationPurpose,
    to: EmailAddress,
  ): PortResult<boolean> => {
    const found = await recipients.find(account, id);
    if (found.isErr()) return err(found.error);
    if (found.value?.nonce !== nonce || found.value.verifiedAt !== null) return ok(false);
    const entries = await mailLedger.find([mailboxKey(secrets, to)]);
    return entries.map((found) => found.every(({ suppressedAt }) => suppressedAt === null));
  };

  /** What becomes of a copy that is not sent now; null if it is sent. */
  const instead = async ({ copy }: DueCopy, now: number): Promise<Settlement | null> => {
    const { id, to, purpose, attempts, reason } = copy;
    if (purpose.kind !== "verification") return null;
    const left = { attempts, reason, at: now };
    if (now >= purpose.expiresAt) {
      return { ...left, state: "expired", nextAt: now, outcomes: [Copy.outcome(id, "bounced", now)] };
    }
    const wanted = await isWanted(purpose, to);
    if (wanted.isErr()) return { ...left, state: "queued", nextAt: now + STORE_PAUSE, outcomes: [] };
    return wanted.value ? null : { ...left, state: "dropped", nextAt: now, outcomes: [] };
  };

  const settle = async (id: CopyId, settlement: Settlement): Promise<void> => {
    const settled = await spool.settle(id, settlement, null);
    if (settled.isErr()) unsettled = [...unsettled, [id, settlement]];
  };

  return async (now, limit, except) => {
    const late = unsettled;
    unsettled = [];
    for (const [id, settlement] of late) await settle(id, settlement);
    const taken = await spool.take(now, limit, except);
    if (taken.isErr()) return err(taken.error);
    const wanted: DueCopy[] = [];
    for (const due of taken.value.copies) {
      const settlement = await instead(due, now);
      if (settlement === null) wanted.push(due);
      else await settle(due.copy.id, settlement);
    }
    return ok({ copies: wanted, more: taken.value.more });
  };
};
