import { ok } from "neverthrow";
import type { Clock, Suspensions } from "../ports.ts";
import type { AccountId } from "../values/identifiers.ts";

/** How long an answer is used without asking the store again, in milliseconds. */
const REMEMBERED_MS = 10_000;

/** A new answer replaces the oldest one. */
const MAX_REMEMBERED = 10_000;

export type RememberedSuspensions = Suspensions & {
  /** Whether the account is remembered not to be suspended. */
  isKnownActive(account: AccountId): boolean;
};

type Answer = { readonly since: number | null; readonly expiresAt: number };

/**
 * The same port, which remembers for 10 seconds what the store answered: every request needs to know whether its account is
 * suspended. What is changed through this port takes effect at once; other changes to the store, within 10 seconds.
 * Remembers up to 10,000 accounts, and no failure.
 */
export const rememberedSuspensions = (
  suspensions: Suspensions,
  clock: Pick<Clock, "now">,
): RememberedSuspensions => {
  /** The oldest answer is first. */
  const answers = new Map<AccountId, Answer>();
  let latest = 0;
  let changes = 0;

  /** The current time. A clock that has gone back must not make answers last longer, so they are all forgotten. */
  const now = (): number => {
    const time = clock.now();
    if (time < latest) answers.clear();
    latest = time;
    return time;
  };

  /** Whatever the result: after `unavailable`, the change may have been made. */
  const changing = async <T>(account: AccountId, change: Promise<T>): Promise<T> => {
    const result = await change;
    changes += 1;
    answers.delete(account);
    return result;
  };

  const remembered = (account: AccountId, time: number): Answer | undefined => {
    const answer = answers.get(account);
    return answer !== undefined && time < answer.expiresAt ? answer : undefined;
  };

  return {
    isKnownActive: (account) => remembered(account, now())?.since === null,
    find: async (account, timeLeft) => {
      const asked = now();
      const answer = remembered(account, asked);
      if (answer !== undefined) return ok(answer.since);
      const changesBefore = changes;
      const found = await suspensions.find(account, timeLeft);
      // An answer from before a change, or before the clock went back, must not be remembered after it.
      if (found.isErr() || changes !== changesBefore || now() < asked) return found;
      answers.delete(account);
      const [oldest] = answers.size < MAX_REMEMBERED ? [] : answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
      answers.set(account, { since: found.value, expiresAt: asked + REMEMBERED_MS });
      return found;
    },
    suspend: (account, at, timeLeft) => changing(account, suspensions.suspend(account, at, timeLeft)),
    resume: (account, timeLeft) => changing(account, suspensions.resume(account, timeLeft)),
  };
};
