import type { EmailAddress, PortResult, TimeLeft } from "@postern/core";
import { begin, isWithin, mailboxKey } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import { CALLS_AT_ONCE } from "../calls-at-once.ts";
import type { MailContext } from "../context.ts";
import { Copy, type CopyState, RELAY_PAUSE, type Settlement } from "../copy/copy.ts";
import type { VerificationPurpose } from "../copy/purpose.ts";
import type { DueCopy, Spool } from "../spool.ts";
import { type AliasNow, type AliasPurpose, aliasNow } from "./alias-now.ts";
import { type LookUpAlias, lookUpAlias, lookUpOnce } from "./look-up-alias.ts";
import { settleCopy } from "./settle-copy.ts";

/** How long until a message is looked at again if the store did not respond, in milliseconds. */
const STORE_PAUSE = 60_000;

/**
 * For how long a copy may be sent without another look at it and its alias, in milliseconds, from the beginning of the last look: that was
 * when the message arrived, when the copy was taken, or during an attempt. Users are promised that a second after they have replaced a
 * recipient, nothing more is sent to it, and a look takes time too.
 */
const CHECK_VALID = 500;

/** A copy that should be sent. */
export type WantedCopy = {
  readonly due: DueCopy;
  /**
   * Whether it should still be sent: asked whenever something was waited for. Within half a second of the last look, it is. After that, it
   * is if it is queued, and `take` would not leave it out. If not, it no longer counts as handed out.
   */
  isWanted(): Promise<boolean>;
};

/** The copies in the queue that should be sent. */
export type WantedCopies = {
  /**
   * `Spool.take` without the copies that should no longer be sent, which become `dropped` or `expired`. Copies about which the store does
   * not respond in time stay in the queue for a minute.
   *
   * - Verification messages whose link has expired or was replaced by a newer one, whose recipient is verified or removed, or that the
   *   owner of the mailbox no longer wants.
   * - Copies that are more than half a second old or were tried before, and notices to recipients, if their alias no longer has their
   *   recipient (`aliasNow`). Copies for the same alias share a lookup.
   *
   * All mail of suspended accounts waits, for as long as other copies are tried.
   *
   * All verification messages of one call share 2 seconds, because other mail waits for them, and all other copies share 2 seconds as well.
   * Once these are used up, the store is asked again only after a minute, so that a store that does not respond holds up the other mail at
   * most once a minute.
   */
  take(
    ...input: Parameters<Spool["take"]>
  ): PortResult<{ readonly copies: readonly WantedCopy[]; readonly more: boolean }>;
};

/** How the store is asked about copies. */
type Lookup = { readonly timeLeft: TimeLeft; readonly lookUpAlias: LookUpAlias };

/** Whether the copy has not been tried yet and its message has just arrived. */
const isNew = ({ copy, message }: DueCopy, now: number): boolean =>
  copy.attempts === 0 && isWithin(message.createdAt, CHECK_VALID, now);

export const wantedCopies = (context: MailContext): WantedCopies => {
  const { spool, recipients, suspensions, mailLedger, secrets, clock } = context;
  const settle = settleCopy(context);
  const lookUpNow = lookUpAlias(context);
  const judge = aliasNow(context);
  /** The settlements that could not be stored. These copies are handed out to nobody else. */
  let unsettled: readonly (readonly [DueCopy, Settlement])[] = [];

  /** Gives a group of lookups a shared time limit, and no time for a minute after it was used up. */
  const patience = () => {
    let silentAt = Number.NEGATIVE_INFINITY;
    return async (now: number, lookUp: (timeLeft: TimeLeft) => Promise<void>): Promise<void> => {
      const isSilent = isWithin(silentAt, STORE_PAUSE, now);
      const timeLeft = isSilent ? () => 0 : begin(context);
      await lookUp(timeLeft);
      if (!isSilent && timeLeft() === 0) silentAt = now;
    };
  };
  const withLinks = patience();
  const withAliases = patience();

  /** What to do with a verification message: `aliasNow` for a link. */
  const linkNow = async (
    { account, recipient: id, nonce }: VerificationPurpose,
    to: EmailAddress,
    timeLeft: TimeLeft,
  ): PortResult<AliasNow> => {
    const found = await recipients.find(account, id, timeLeft());
    if (found.isErr()) return err(found.error);
    if (found.value?.nonce !== nonce || found.value.verifiedAt !== null) return ok("unwanted");
    const entries = await mailLedger.find([mailboxKey(secrets, to)], timeLeft());
    if (entries.isErr()) return err(entries.error);
    if (entries.value.some(({ suppressedAt }) => suppressedAt !== null)) return ok("unwanted");
    const suspendedSince = await suspensions.find(account, timeLeft());
    return suspendedSince.map((since) => (since === null ? "send" : "suspended"));
  };

  const settlement = ({ attempts, reason }: Copy, state: CopyState, now: number, delay = 0): Settlement => ({
    attempts,
    reason,
    at: now,
    state,
    nextAt: now + delay,
    outcomes: [],
  });

  /** It stays in the queue for a minute. */
  const later = (copy: Copy, now: number): Settlement => settlement(copy, "queued", now, STORE_PAUSE);

  /** The recipient shows that the message was not sent. */
  const expired = (copy: Copy, now: number): Settlement => ({
    ...settlement(copy, "expired", now),
    outcomes: [Copy.outcome(copy.id, "bounced", now)],
  });

  /**
   * What happens to a copy after a lookup with this result; null if it is sent. `found` is null if there was no time for a lookup. `over`
   * ends a copy that has waited too long for a suspension to end.
   */
  const dispositionAfter = (
    found: Awaited<PortResult<AliasNow>> | null,
    copy: Copy,
    over: Settlement,
    now: number,
  ): Settlement | null => {
    if (found === null || found.isErr()) return later(copy, now);
    switch (found.value) {
      case "send":
        return null;
      case "unwanted":
        return settlement(copy, "dropped", now);
      case "suspended":
        return Copy.isOver(copy, now) ? over : settlement(copy, "queued", now, RELAY_PAUSE);
    }
  };

  /** What happens to a verification message that is not sent now; null if it is sent. */
  const linkDisposition = async (
    copy: Copy,
    purpose: VerificationPurpose,
    now: number,
    timeLeft: TimeLeft,
  ): Promise<Settlement | null> => {
    if (now >= purpose.expiresAt) return expired(copy, now);
    const found = timeLeft() === 0 ? null : await linkNow(purpose, copy.to, timeLeft);
    return dispositionAfter(found, copy, expired(copy, now), now);
  };

  /** The same for a copy for or from an alias, or a notice to one of its recipients. */
  const mailDisposition = async (
    due: DueCopy,
    purpose: AliasPurpose,
    now: number,
    { timeLeft, lookUpAlias }: Lookup,
  ): Promise<Settlement | null> => {
    const { copy } = due;
    const lookUp = async (): PortResult<AliasNow> => {
      const alias = await lookUpAlias(purpose.alias, timeLeft);
      return alias.isErr() ? err(alias.error) : judge(due, purpose, alias.value, now);
    };
    const found = timeLeft() === 0 ? null : await lookUp();
    return dispositionAfter(found, copy, settlement(copy, "dropped", now), now);
  };

  /** What happens to a copy that is not sent now; null if it is sent. */
  const disposition = async (due: DueCopy, now: number, lookup: Lookup): Promise<Settlement | null> => {
    const { copy } = due;
    const { purpose } = copy;
    switch (purpose.kind) {
      case "verification":
        return linkDisposition(copy, purpose, now, lookup.timeLeft);
      case "forward":
      case "reply":
        return isNew(due, now) ? null : mailDisposition(due, purpose, now, lookup);
      case "notice": {
        const { alias } = purpose;
        return alias === null ? null : mailDisposition(due, { ...purpose, alias }, now, lookup);
      }
      case "postmaster":
        return null;
    }
  };

  /** Stores the settlement of a copy, now or before the next copies are taken. */
  const settleOrRemember = async (due: DueCopy, settlement: Settlement): Promise<void> => {
    const settled = await settle(due, settlement, () => later(due.copy, settlement.at));
    if (settled.isErr()) unsettled = [...unsettled, [due, settlement]];
  };

  /** `checkedAt` is when the last look began. */
  const wantedCopy = (due: DueCopy, checkedAt: number): WantedCopy => {
    let lookedAt = checkedAt;
    return {
      due,
      isWanted: async () => {
        const now = clock.now();
        if (isWithin(lookedAt, CHECK_VALID, now)) return true;
        const found = await spool.find(due.copy.id);
        const isQueued = found.isOk() && found.value?.copy.state === "queued";
        // A final copy stays as it is. A copy about which the spool does not respond waits for a minute.
        const otherwise = isQueued
          ? await disposition(due, now, { timeLeft: begin(context), lookUpAlias: lookUpNow })
          : later(due.copy, now);
        if (otherwise === null) lookedAt = now;
        else await settleOrRemember(due, otherwise);
        return otherwise === null;
      },
    };
  };

  const take: WantedCopies["take"] = async (now, limit, except) => {
    const late = unsettled;
    unsettled = [];
    for (const [due, settlement] of late) await settleOrRemember(due, settlement);
    const taken = await spool.take(now, limit, except);
    if (taken.isErr()) return err(taken.error);
    const { copies, more } = taken.value;
    const unwanted = new Set<DueCopy>();
    const shared = lookUpOnce(lookUpNow);
    const lookUp = (some: readonly DueCopy[]) => async (timeLeft: TimeLeft) => {
      const lookUpOne = async (due: DueCopy): Promise<void> => {
        const otherwise = await disposition(due, now, { timeLeft, lookUpAlias: shared });
        if (otherwise === null) return;
        unwanted.add(due);
        await settleOrRemember(due, otherwise);
      };
      for (let start = 0; start < some.length; start += CALLS_AT_ONCE) {
        await Promise.all(some.slice(start, start + CALLS_AT_ONCE).map(lookUpOne));
      }
    };
    const isLink = ({ copy }: DueCopy) => copy.purpose.kind === "verification";
    await Promise.all([
      withLinks(now, lookUp(copies.filter(isLink))),
      withAliases(now, lookUp(copies.filter((due) => !isLink(due)))),
    ]);
    const wanted = copies.filter((due) => !unwanted.has(due));
    return ok({
      copies: wanted.map((due) => wantedCopy(due, isNew(due, now) ? due.message.createdAt : now)),
      // Others may have been queued in the place of those that are unwanted.
      more: more || unwanted.size > 0,
    });
  };

  return { take };
};
