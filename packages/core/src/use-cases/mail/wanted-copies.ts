import { err, ok } from "neverthrow";
import { Copy, type CopyId, type Settlement, type VerificationPurpose } from "../../mail/copy.ts";
import type { DueCopy, Spool } from "../../mail/ports.ts";
import type { MailLedger, PortResult, Recipients, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import { begin, type TimeLeft, type Timing } from "../shared/deadline.ts";
import { isWithin } from "../shared/is-within.ts";
import { mailboxKey } from "../shared/message-charge.ts";

/** After which a message is looked at again, if the store did not respond, in milliseconds. */
const STORE_PAUSE = 60_000;

/** Enough not to wait long for a store on another machine, few enough not to be in the way of requests. */
const LOOKUPS_AT_ONCE = 10;

/** What of the queue is to be sent. */
export type WantedCopies = {
  /**
   * `Spool.take` without the verification messages that must not be sent any more: their link has expired, or a newer one has
   * replaced it; the recipient is verified or removed; or the owner of the mailbox wants no more of them. They are given up.
   * Those about which the store says nothing in time stay in the queue for a minute.
   *
   * All messages of one call have 2 seconds together, because other mail waits for them. If these are over, the store is asked again
   * only after a minute, so that one that does not respond holds up the other mail once a minute at most.
   */
  take: Spool["take"];
  /**
   * Whether a copy that was handed out, and had to wait, is still to be sent: it is queued, and `take` would not leave it out. If
   * not, it is not handed out any more.
   */
  isWanted(due: DueCopy, now: number): Promise<boolean>;
};

export const wantedCopies = ({
  spool,
  recipients,
  mailLedger,
  secrets,
  ...timing
}: Timing & {
  readonly spool: Pick<Spool, "take" | "find" | "settle">;
  readonly recipients: Pick<Recipients, "find">;
  readonly mailLedger: Pick<MailLedger, "find">;
  readonly secrets: Pick<Secrets, "hash">;
}): WantedCopies => {
  /** What could not be stored. These copies are handed out to nobody else. */
  let unsettled: readonly (readonly [CopyId, Settlement])[] = [];

  /** When the store last did not respond in time, in epoch milliseconds. */
  let silentAt = Number.NEGATIVE_INFINITY;

  const isLinkWanted = async (
    { account, recipient: id, nonce }: VerificationPurpose,
    to: EmailAddress,
    timeLeft: TimeLeft,
  ): PortResult<boolean> => {
    const found = await recipients.find(account, id, timeLeft());
    if (found.isErr()) return err(found.error);
    if (found.value?.nonce !== nonce || found.value.verifiedAt !== null) return ok(false);
    const entries = await mailLedger.find([mailboxKey(secrets, to)], timeLeft());
    return entries.map((found) => found.every(({ suppressedAt }) => suppressedAt === null));
  };

  /** It stays in the queue for a minute. */
  const later = ({ attempts, reason }: Copy, now: number): Settlement => ({
    attempts,
    reason,
    at: now,
    state: "queued",
    nextAt: now + STORE_PAUSE,
    outcomes: [],
  });

  /** What becomes of a copy that is not sent now; null if it is sent. */
  const instead = async ({ copy }: DueCopy, now: number, timeLeft: TimeLeft): Promise<Settlement | null> => {
    const { id, to, purpose, attempts, reason } = copy;
    if (purpose.kind !== "verification") return null;
    const left = { attempts, reason, at: now };
    if (now >= purpose.expiresAt) {
      return { ...left, state: "expired", nextAt: now, outcomes: [Copy.outcome(id, "bounced", now)] };
    }
    const wanted = timeLeft() === 0 ? null : await isLinkWanted(purpose, to, timeLeft);
    if (wanted === null || wanted.isErr()) return later(copy, now);
    return wanted.value ? null : { ...left, state: "dropped", nextAt: now, outcomes: [] };
  };

  const settle = async (id: CopyId, settlement: Settlement): Promise<void> => {
    const settled = await spool.settle(id, settlement, null);
    if (settled.isErr()) unsettled = [...unsettled, [id, settlement]];
  };

  const take: Spool["take"] = async (now, limit, except) => {
    const late = unsettled;
    unsettled = [];
    for (const [id, settlement] of late) await settle(id, settlement);
    const taken = await spool.take(now, limit, except);
    if (taken.isErr()) return err(taken.error);
    const isSilent = isWithin(silentAt, STORE_PAUSE, now);
    const timeLeft = isSilent ? () => 0 : begin(timing);
    const unwanted = new Set<DueCopy>();
    const lookUp = async (due: DueCopy): Promise<void> => {
      const settlement = await instead(due, now, timeLeft);
      if (settlement === null) return;
      unwanted.add(due);
      await settle(due.copy.id, settlement);
    };
    const { copies, more } = taken.value;
    const verifications = copies.filter(({ copy }) => copy.purpose.kind === "verification");
    for (let start = 0; start < verifications.length; start += LOOKUPS_AT_ONCE) {
      await Promise.all(verifications.slice(start, start + LOOKUPS_AT_ONCE).map(lookUp));
    }
    if (!isSilent && timeLeft() === 0) silentAt = now;
    return ok({ copies: copies.filter((due) => !unwanted.has(due)), more });
  };

  const isWanted = async (due: DueCopy, now: number): Promise<boolean> => {
    const found = await spool.find(due.copy.id);
    const isQueued = found.isOk() && found.value?.copy.state === "queued";
    // One that is final stays as it is. One about which the spool says nothing waits for a minute.
    const settlement = isQueued ? await instead(due, now, begin(timing)) : later(due.copy, now);
    if (settlement !== null) await settle(due.copy.id, settlement);
    return settlement === null;
  };

  return { take, isWanted };
};
