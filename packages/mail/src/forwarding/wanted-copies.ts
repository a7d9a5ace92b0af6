import type { Cause, EmailAddress, NonEmpty, PortResult, TimeLeft } from "@postern/core";
import { begin, isWithin, mailboxKey } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import { jittered } from "../backoff.ts";
import { CALLS_AT_ONCE } from "../calls-at-once.ts";
import type { MailContext } from "../context.ts";
import { Copy, type CopyState, RELAY_PAUSE, type Settlement } from "../copy/copy.ts";
import type { VerificationPurpose } from "../copy/purpose.ts";
import type { DueCopy, ForwardingPause, Spool } from "../spool.ts";
import { type AliasNow, type AliasPurpose, aliasNow } from "./alias-now.ts";
import { type LookUpAlias, lookUpAlias, lookUpOnce } from "./look-up-alias.ts";
import { noOutage } from "./outage.ts";
import { settleCopy } from "./settle-copy.ts";

/** How long the store is not asked about waiting mail after it has failed, again and again, in milliseconds. */
const STORE_DELAYS: NonEmpty<number> = [1_000, 2_000, 5_000, 15_000, 60_000];

/** How long until a copy is looked at again about which alone the store does not respond, in milliseconds. */
const DAMAGE_DELAY = 60_000;

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
   * not respond in time stay in the queue until it is asked again.
   *
   * - Verification messages whose link has expired or was replaced by a newer one, whose recipient is verified or removed, or that the
   *   owner of the mailbox no longer wants.
   * - Copies that are more than half a second old or were tried before, and notices to recipients, if their alias no longer has their
   *   recipient (`aliasNow`). Copies for the same alias share a lookup.
   *
   * All mail of suspended accounts waits, for as long as other copies are tried.
   *
   * All verification messages of one call share 2 seconds, because other mail waits for them, and all other copies share 2 seconds as well.
   * Once these are used up, or the store has failed, it is asked again only after 1, 2, 5, 15 and then every 60 seconds, so that a store
   * that does not respond soon holds up the other mail at most once a minute. If it fails only for certain copies, these wait for a minute.
   */
  take(
    ...input: Parameters<Spool["take"]>
  ): PortResult<{ readonly copies: readonly WantedCopy[]; readonly more: boolean }>;

  /** Why waiting mail is not looked at for now; null if the store responds, as far as is known. */
  pause(): ForwardingPause | null;

  /** The store is asked again about the copies that are due. */
  hurry(): void;
};

/** What came of some lookups: how many succeeded, and why the others did not. */
type Answers = { readonly succeeded: number; readonly causes: readonly (Cause | null)[] };

/** How the store is asked about copies. */
type Lookup = { readonly timeLeft: TimeLeft; readonly lookUpAlias: LookUpAlias };

/** What happens to a copy, and whether the store was asked about it. `unknown`: it did not say. */
type Disposition = { readonly isAsked: boolean } & (
  | { readonly kind: "sent" }
  | { readonly kind: "ends"; readonly settlement: Settlement }
  | { readonly kind: "unknown"; readonly cause: Cause | null }
);

const SENT: Disposition = { kind: "sent", isAsked: false };

/** Whether the copy has not been tried yet and its message has just arrived. */
const isNew = ({ copy, message }: DueCopy, now: number): boolean =>
  copy.attempts === 0 && isWithin(message.createdAt, CHECK_VALID, now);

export const wantedCopies = (context: MailContext): WantedCopies => {
  const { spool, recipients, resends, suspensions, mailLedger, secrets, clock } = context;
  const settle = settleCopy(context);
  const lookUpNow = lookUpAlias(context);
  const judge = aliasNow(context);
  /** The settlements that could not be stored. These copies are handed out to nobody else. */
  let unsettled: readonly (readonly [DueCopy, Settlement])[] = [];

  /** Whether the store can be asked about one kind of copies, whose lookups share a time limit. */
  const patience = () => {
    const outage = noOutage({ clock, random: secrets.random }, STORE_DELAYS);

    /** Whether the store works, except perhaps for what these lookups asked for. Without any, there is no reason to believe otherwise. */
    const works = async ({ succeeded, causes }: Answers, timeLeft: TimeLeft): Promise<boolean> => {
      if (succeeded === 0 && causes.length === 0) return true;
      if (timeLeft() === 0) return false;
      return succeeded > 0 || (await resends.list(spool.id, 1, timeLeft())).isOk();
    };

    return {
      outage,
      /** Makes lookups, without any time if the store is not to be asked now. Returns for how long to put off what they did not find out. */
      ask: async (lookUp: (timeLeft: TimeLeft) => Promise<Answers>): Promise<number> => {
        if (outage.isWaiting()) await lookUp(() => 0);
        else {
          const timeLeft = begin(context);
          const answers = await lookUp(timeLeft);
          const [cause = null] = answers.causes;
          if (await works(answers, timeLeft)) {
            outage.end();
            if (answers.succeeded > 0) outage.works();
          } else if (outage.current() === null) outage.begin("store", cause);
          else outage.goOn(cause);
        }
        const pause = outage.current();
        return pause === null ? DAMAGE_DELAY : Math.max(0, pause.nextAt - clock.now());
      },
    };
  };
  const links = patience();
  const aliases = patience();

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

  /** It stays in the queue until it is looked at again. */
  const later = (copy: Copy, now: number, delay: number): Settlement =>
    settlement(copy, "queued", now, delay);
  /** A copy about which there was no answer just before it was sent, or while it was. */
  const soon = (copy: Copy, now: number): Settlement =>
    later(copy, now, jittered(STORE_DELAYS[0], secrets.random));

  /** The recipient shows that the message was not sent. */
  const expired = (copy: Copy, now: number): Settlement => ({
    ...settlement(copy, "expired", now),
    outcomes: [Copy.outcome(copy.id, "bounced", now)],
  });

  /**
   * What happens to a copy after a lookup with this result. `found` is null if there was no time for a lookup. `over` ends a copy that has
   * waited too long for a suspension to end.
   */
  const dispositionAfter = (
    found: Awaited<PortResult<AliasNow>> | null,
    copy: Copy,
    over: Settlement,
    now: number,
  ): Disposition => {
    if (found === null) return { kind: "unknown", cause: null, isAsked: false };
    if (found.isErr()) return { kind: "unknown", cause: found.error.cause ?? null, isAsked: true };
    const ends = (settlement: Settlement): Disposition => ({ kind: "ends", settlement, isAsked: true });
    switch (found.value) {
      case "send":
        return { kind: "sent", isAsked: true };
      case "unwanted":
        return ends(settlement(copy, "dropped", now));
      case "suspended":
        return ends(Copy.isOver(copy, now) ? over : later(copy, now, RELAY_PAUSE));
    }
  };

  /** What happens to a verification message. */
  const linkDisposition = async (
    copy: Copy,
    purpose: VerificationPurpose,
    now: number,
    timeLeft: TimeLeft,
  ): Promise<Disposition> => {
    if (now >= purpose.expiresAt) return { kind: "ends", settlement: expired(copy, now), isAsked: false };
    const found = timeLeft() === 0 ? null : await linkNow(purpose, copy.to, timeLeft);
    return dispositionAfter(found, copy, expired(copy, now), now);
  };

  /** The same for a copy for or from an alias, or a notice to one of its recipients. */
  const mailDisposition = async (
    due: DueCopy,
    purpose: AliasPurpose,
    now: number,
    { timeLeft, lookUpAlias }: Lookup,
  ): Promise<Disposition> => {
    const { copy } = due;
    const lookUp = async (): PortResult<AliasNow> => {
      const alias = await lookUpAlias(purpose.alias, timeLeft);
      return alias.isErr() ? err(alias.error) : judge(due, purpose, alias.value, now);
    };
    const found = timeLeft() === 0 ? null : await lookUp();
    return dispositionAfter(found, copy, settlement(copy, "dropped", now), now);
  };

  const disposition = async (due: DueCopy, now: number, lookup: Lookup): Promise<Disposition> => {
    const { copy } = due;
    const { purpose } = copy;
    switch (purpose.kind) {
      case "verification":
        return linkDisposition(copy, purpose, now, lookup.timeLeft);
      case "forward":
      case "reply":
        return isNew(due, now) ? SENT : mailDisposition(due, purpose, now, lookup);
      case "notice": {
        const { alias } = purpose;
        return alias === null ? SENT : mailDisposition(due, { ...purpose, alias }, now, lookup);
      }
      case "postmaster":
        return SENT;
    }
  };

  /** Stores the settlement of a copy, now or before the next copies are taken. */
  const settleOrRemember = async (due: DueCopy, settlement: Settlement): Promise<void> => {
    const settled = await settle(due, settlement, () => later(due.copy, settlement.at, DAMAGE_DELAY));
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
        // A final copy stays as it is, whatever is stored now.
        const what: Disposition = isQueued
          ? await disposition(due, now, { timeLeft: begin(context), lookUpAlias: lookUpNow })
          : { kind: "unknown", cause: null, isAsked: false };
        if (what.kind === "sent") lookedAt = now;
        else await settleOrRemember(due, what.kind === "ends" ? what.settlement : soon(due.copy, now));
        return what.kind === "sent";
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
    /** Looks up these copies, and stores what happens to those that are not sent. */
    const lookUpAll = async (some: readonly DueCopy[], { ask }: ReturnType<typeof patience>) => {
      const unknown: DueCopy[] = [];
      const delay = await ask(async (timeLeft) => {
        let succeeded = 0;
        const causes: (Cause | null)[] = [];
        const lookUpOne = async (due: DueCopy): Promise<void> => {
          const what = await disposition(due, now, { timeLeft, lookUpAlias: shared });
          if (what.kind === "unknown") unknown.push(due);
          if (what.kind === "unknown" && what.isAsked) causes.push(what.cause);
          else if (what.isAsked) succeeded += 1;
          if (what.kind !== "sent") unwanted.add(due);
          if (what.kind === "ends") await settleOrRemember(due, what.settlement);
        };
        for (let start = 0; start < some.length; start += CALLS_AT_ONCE) {
          await Promise.all(some.slice(start, start + CALLS_AT_ONCE).map(lookUpOne));
        }
        return { succeeded, causes };
      });
      await Promise.all(unknown.map((due) => settleOrRemember(due, later(due.copy, clock.now(), delay))));
    };
    const isLink = ({ copy }: DueCopy) => copy.purpose.kind === "verification";
    await Promise.all([
      lookUpAll(copies.filter(isLink), links),
      lookUpAll(
        copies.filter((due) => !isLink(due)),
        aliases,
      ),
    ]);
    const wanted = copies.filter((due) => !unwanted.has(due));
    return ok({
      copies: wanted.map((due) => wantedCopy(due, isNew(due, now) ? due.message.createdAt : now)),
      // Others may have been queued in the place of those that are unwanted.
      more: more || unwanted.size > 0,
    });
  };

  return {
    take,
    pause: () => aliases.outage.current() ?? links.outage.current(),
    hurry: () => {
      for (const { outage } of [links, aliases]) outage.hurry();
    },
  };
};
