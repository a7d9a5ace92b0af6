import type { AccountId, LoggedMessage, PortResult, Unavailable } from "@postern/core";
import { begin, isWithin } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import { CALLS_AT_ONCE } from "../calls-at-once.ts";
import type { MailContext } from "../context.ts";
import { HeaderFields } from "../header/header-fields.ts";
import { summaryOf } from "../message/message-summary.ts";
import type { Unlogged } from "../spool.ts";
import { keptBody, loggedCopy, unsubscribesFrom } from "./log-entry.ts";

/** Enough for one pass to be worth its calls, but few enough that little is repeated after a crash. */
const MESSAGES_A_PASS = 100;

/** Including those that the last pass could not log. Each is read with its header, of up to 256 KiB. */
const MOST_A_PASS = 300;

/** How long a new message is not logged while some of its copies have not been tried, in milliseconds. */
const FIRST_ATTEMPTS = 2_000;

/** Whether to keep waiting for the first attempts of the message. */
const waits = ({ message, copies }: Unlogged, now: number): boolean =>
  isWithin(message.createdAt, FIRST_ATTEMPTS, now) &&
  copies.some(({ state, attempts }) => state === "queued" && attempts === 0);

/**
 * The first message of each account, then the second of each, and so on, so that a failing account takes up only one place. The messages of
 * `failing` accounts come last.
 */
const accountsInTurn = (
  messages: readonly Unlogged[],
  failing: ReadonlySet<AccountId>,
): readonly Unlogged[] =>
  [...Map.groupBy(messages, ({ alias }) => alias.account)]
    .flatMap(([account, ofAccount]) =>
      ofAccount.map((message, turn) => ({ message, turn, isLast: Number(failing.has(account)) })),
    )
    .toSorted((a, b) => a.isLast - b.isLast || a.turn - b.turn)
    .map(({ message }) => message);

/**
 * Logs messages and the state of their copies for their aliases, up to 100 messages in one pass: those that have waited longest, with
 * accounts taking turns. A new message waits for its first attempts, for up to two seconds, so that it is usually written only once.
 * Returns when to call it again, in epoch milliseconds; null if there is nothing to do before something happens to a copy.
 *
 * Messages are saved ten at a time. If one cannot be saved, the pass continues without its account, and ends if ten accounts fail at the
 * same time. If none was saved and one could not be, the pass fails with `unavailable`: call it again later. The next pass has 100 messages
 * besides those that are left, but no more than 300 in all, and accounts that have failed come last, so that fewer than 300 messages that
 * cannot be saved do not hold up the others. A message that was saved but not marked before a crash is saved again, which changes nothing.
 */
export const logMessages = (context: MailContext) => {
  const { spool, messageLog, limits, clock } = context;

  const entryOf = (unlogged: Unlogged): LoggedMessage => {
    const { alias, message, copies, revision } = unlogged;
    const isReceived = message.origin === "received";
    const fields = HeaderFields.split(message.header);
    const returnPath = isReceived ? message.returnPath : "";
    const summary = summaryOf({ fields, returnPath, size: message.size }, context);
    return {
      id: message.id,
      account: alias.account,
      alias: alias.id,
      at: message.createdAt,
      direction: isReceived ? "received" : "sent",
      ...summary,
      contact: isReceived ? summary.contact : null,
      blocked: null,
      unsubscribesFrom: unsubscribesFrom(copies),
      copies: copies.map(loggedCopy),
      keptBody: keptBody(unlogged, spool.id),
      count: 1,
      revision,
    };
  };

  /** Returns the account of each message that could not be saved, with the reason. */
  const save = async (
    messages: readonly Unlogged[],
  ): PortResult<readonly { readonly account: AccountId; readonly failure: Unavailable }[]> => {
    const entries = messages.map(entryOf);
    const timeLeft = begin(context);
    const saved = await Promise.all(entries.map((entry) => messageLog.save(entry, limits, timeLeft())));
    const marked = await spool.logged(entries.filter((_, place) => saved[place]?.isOk()));
    return marked.map(() =>
      entries.flatMap(({ account }, place) => {
        const result = saved[place];
        return result?.isErr() ? [{ account, failure: result.error }] : [];
      }),
    );
  };

  /** How many messages the last pass could not log. The next pass includes them. */
  let left = 0;
  /** The accounts whose messages could not be saved when last tried. They are tried last. */
  let failing: ReadonlySet<AccountId> = new Set();

  return async (): PortResult<number | null> => {
    const limit = Math.min(MESSAGES_A_PASS + left, MOST_A_PASS);
    const unlogged = await spool.unlogged(limit);
    if (unlogged.isErr()) return err(unlogged.error);
    const now = clock.now();
    const { waiting = [], ready = [] } = Object.groupBy(unlogged.value, (each) =>
      waits(each, now) ? "waiting" : "ready",
    );
    let failure: Unavailable | null = null;
    let done = 0;
    let rest = accountsInTurn(ready, failing);
    const stillFailing = new Set(ready.map(({ alias }) => alias.account).filter((each) => failing.has(each)));
    while (rest.length > 0) {
      const next = rest.slice(0, CALLS_AT_ONCE);
      const saved = await save(next);
      if (saved.isErr()) return err(saved.error);
      const failed = new Map(saved.value.map((each) => [each.account, each.failure]));
      for (const { alias } of next) stillFailing.delete(alias.account);
      for (const [account, why] of failed) {
        stillFailing.add(account);
        failure ??= why;
      }
      done += next.length - saved.value.length;
      // Either the store itself fails, or ten messages that cannot be saved came together: the next pass tries them last.
      if (failed.size === CALLS_AT_ONCE) break;
      rest = rest.slice(CALLS_AT_ONCE).filter(({ alias }) => !failed.has(alias.account));
    }
    failing = stillFailing;
    left = ready.length - done;
    if (failure !== null) return done === 0 ? err(failure) : ok(now);
    // If most of them wait, another pass would mostly read the same ones again.
    if (unlogged.value.length === limit && ready.length > waiting.length) return ok(now);
    if (waiting.length === 0) return ok(null);
    return ok(Math.min(...waiting.map(({ message }) => message.createdAt)) + FIRST_ATTEMPTS);
  };
};
