import { ok } from "neverthrow";
import { rememberedAnswers } from "../operation/remembered-answers.ts";
import type { Clock } from "../ports/clock.ts";
import type { AccountId } from "../values/identifiers.ts";
import type { Suspensions } from "./suspensions.ts";

export type RememberedSuspensions = Suspensions & {
  /** Whether the cache says that the account is not suspended. */
  isKnownActive(account: AccountId): boolean;
};

/** For stores without suspensions. */
export const NEVER_SUSPENDED: Pick<RememberedSuspensions, "isKnownActive" | "find"> = {
  isKnownActive: () => true,
  find: async () => ok(null),
};

/** The same port, cached with `rememberedAnswers`: every request needs to know whether its account is suspended. */
export const rememberedSuspensions = (
  suspensions: Suspensions,
  clock: Pick<Clock, "now">,
): RememberedSuspensions => {
  const { remembered, find, changing } = rememberedAnswers(
    (account: AccountId, timeLeft) => suspensions.find(account, timeLeft),
    clock,
  );
  return {
    isKnownActive: (account) => remembered(account)?.value === null,
    find,
    suspend: (account, at, timeLeft) => changing(account, suspensions.suspend(account, at, timeLeft)),
    resume: (account, timeLeft) => changing(account, suspensions.resume(account, timeLeft)),
  };
};
