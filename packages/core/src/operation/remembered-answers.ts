import { ok } from "neverthrow";
import type { Clock } from "../ports/clock.ts";
import type { PortResult } from "../ports/port-result.ts";
import { putNewest } from "./put-newest.ts";

/** How long an answer is used without asking the store again, in milliseconds. */
const REMEMBERED_MS = 10_000;

/** Beyond this number, a new answer evicts the oldest one. */
const MAX_REMEMBERED = 10_000;

export type RememberedAnswers<Asked extends string, T> = {
  /** The cached answer, if there is one. */
  remembered(asked: Asked): { readonly value: T } | undefined;
  find(asked: Asked, timeLeft?: number): PortResult<T>;
  /** Evicts the answer once the change has finished, whatever its result: even after `unavailable`, the change may have been made. */
  changing<Changed>(asked: Asked, change: Promise<Changed>): Promise<Changed>;
};

/**
 * Caches the store's answer about something, such as an account, for 10 seconds. Changes made through `changing` take effect at once; other
 * changes to the store, within 10 seconds. Caches up to 10,000 answers, and never a failure.
 */
export const rememberedAnswers = <Asked extends string, T>(
  ask: (asked: Asked, timeLeft?: number) => PortResult<T>,
  clock: Pick<Clock, "now">,
): RememberedAnswers<Asked, T> => {
  /** The oldest answer is first. */
  const answers = new Map<Asked, { readonly value: T; readonly expiresAt: number }>();
  let latest = 0;
  let changes = 0;

  /** The current time. A clock that has gone back must not make answers last longer, so all of them are evicted. */
  const now = (): number => {
    const time = clock.now();
    if (time < latest) answers.clear();
    latest = time;
    return time;
  };

  const rememberedAt = (asked: Asked, time: number): { readonly value: T } | undefined => {
    const answer = answers.get(asked);
    return answer !== undefined && time < answer.expiresAt ? answer : undefined;
  };

  return {
    remembered: (asked) => rememberedAt(asked, now()),
    find: async (asked, timeLeft) => {
      const begun = now();
      const answer = rememberedAt(asked, begun);
      if (answer !== undefined) return ok(answer.value);
      const changesBefore = changes;
      const found = await ask(asked, timeLeft);
      // An answer from before a change, or from before the clock went back, must not be cached afterward.
      if (found.isErr() || changes !== changesBefore || now() < begun) return found;
      putNewest(answers, MAX_REMEMBERED, asked, { value: found.value, expiresAt: begun + REMEMBERED_MS });
      return found;
    },
    changing: async (asked, change) => {
      const result = await change;
      changes += 1;
      answers.delete(asked);
      return result;
    },
  };
};
