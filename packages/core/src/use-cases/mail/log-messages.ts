import { err, ok, Result } from "neverthrow";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import { HeaderFields } from "../../mail/header-fields.ts";
import { keptBody, loggedCopy } from "../../mail/log-entry.ts";
import { summaryOf } from "../../mail/message-summary.ts";
import type { Spool, Unlogged } from "../../mail/ports.ts";
import type { LoggedMessage } from "../../message-log/logged-message.ts";
import type { Clock, MessageLog, PortResult } from "../../ports.ts";
import { CALLS_AT_ONCE } from "../shared/calls-at-once.ts";
import { begin, type Timing } from "../shared/deadline.ts";
import { isWithin } from "../shared/is-within.ts";

/** Enough for one pass to be worth its calls, few enough that little is repeated after a crash. */
const MESSAGES_A_PASS = 100;

/** For how long a new message is not logged while copies of it have not been tried, in milliseconds. */
const FIRST_ATTEMPTS = 2_000;

/** Whether the first attempts of the message are still to be waited for. */
const waits = ({ message, copies }: Unlogged, now: number): boolean =>
  isWithin(message.createdAt, FIRST_ATTEMPTS, now) &&
  copies.some(({ state, attempts }) => state === "queued" && attempts === 0);

/**
 * Logs messages for their aliases with what became of their copies, up to 100 in one pass, those that have waited longest first. A new
 * message waits for its first attempts, for up to two seconds, so that mostly it is written once. Returns when to call it again, in
 * epoch milliseconds; null if there is nothing to do before something happens to a copy.
 *
 * Stops where messages cannot be saved, and is `unavailable` then: call it again later. A message that was saved before a crash, but
 * not marked, is saved again, which changes nothing.
 */
export const logMessages =
  ({
    spool,
    messageLog,
    aliasDomains,
    subjects,
    ...timing
  }: Timing & {
    readonly spool: Pick<Spool, "id" | "unlogged" | "logged">;
    readonly messageLog: Pick<MessageLog, "save">;
    readonly aliasDomains: AliasDomains;
    /** Whether subjects are logged. */
    readonly subjects: boolean;
    readonly clock: Pick<Clock, "now">;
  }) =>
  async (): PortResult<number | null> => {
    const entryOf = (unlogged: Unlogged): LoggedMessage => {
      const { alias, message, copies, revision } = unlogged;
      const isReceived = message.origin === "received";
      const fields = HeaderFields.split(message.header);
      const returnPath = isReceived ? message.returnPath : "";
      const summary = summaryOf({ fields, returnPath, size: message.size }, { aliasDomains, subjects });
      return {
        id: message.id,
        account: alias.account,
        alias: alias.id,
        at: message.createdAt,
        direction: isReceived ? "received" : "sent",
        ...summary,
        contact: isReceived ? summary.contact : null,
        blocked: null,
        copies: copies.map(loggedCopy),
        keptBody: keptBody(unlogged, spool.id),
        revision,
      };
    };

    const save = async (entries: readonly LoggedMessage[]): PortResult<void> => {
      const timeLeft = begin(timing);
      const saved = await Promise.all(entries.map((entry) => messageLog.save(entry, timeLeft())));
      const marked = await spool.logged(entries.filter((_, place) => saved[place]?.isOk()));
      return marked.isErr() ? err(marked.error) : Result.combine(saved).map(() => undefined);
    };

    const unlogged = await spool.unlogged(MESSAGES_A_PASS);
    if (unlogged.isErr()) return err(unlogged.error);
    const now = timing.clock.now();
    const { waiting = [], ready = [] } = Object.groupBy(unlogged.value, (each) =>
      waits(each, now) ? "waiting" : "ready",
    );
    const entries = ready.map(entryOf);
    for (let start = 0; start < entries.length; start += CALLS_AT_ONCE) {
      const saved = await save(entries.slice(start, start + CALLS_AT_ONCE));
      if (saved.isErr()) return err(saved.error);
    }
    if (entries.length > 0 && unlogged.value.length === MESSAGES_A_PASS) return ok(now);
    if (waiting.length === 0) return ok(null);
    return ok(Math.min(...waiting.map(({ message }) => message.createdAt)) + FIRST_ATTEMPTS);
  };
