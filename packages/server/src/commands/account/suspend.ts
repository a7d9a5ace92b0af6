import {
  type AccountId,
  err,
  type InvalidRequest,
  ok,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import { resumeAccount, suspendAccount } from "@postern/core/operations";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { timeOf } from "../time-of.ts";
import { timing } from "../timing.ts";
import { withStore } from "../with-store.ts";
import { accountArgument } from "./account-argument.ts";

/** A server remembers for 10 seconds whether an account is suspended. */
const WHEN = "Servers that are running notice within 10 seconds.";

/** Runs `change` on the account with the time at which it was suspended, if it is, and returns the message for the operator. */
const changing =
  (
    change: (
      store: Store,
      account: AccountId,
      since: number | null,
    ) => Promise<Result<string, InvalidRequest | Unavailable>>,
  ): Command["run"] =>
  async (configuration, args) => {
    const account = accountArgument(args);
    if (account.isErr()) return err(account.error);
    return withStore(configuration, "alongside", async (store) => {
      const since = await store.suspensions.find(account.value);
      const changed = since.isErr() ? since : await change(store, account.value, since.value);
      return changed.mapErr((error) => storeFailed(error, "run the command again")).map(String);
    });
  };

/** Whether the account has any recipients: without one, it can have no aliases except deleted ones. */
const isKnown = async ({ recipients }: Store, account: AccountId): Promise<Result<boolean, Unavailable>> =>
  (await recipients.list(account, { limit: 1, after: null })).map(({ items }) => items.length > 0);

export const suspend = changing(async (store, account, since) => {
  if (since !== null) return ok(`The account has been suspended since ${timeOf(since)}.`);
  const known = await isKnown(store, account);
  if (known.isErr()) return err(known.error);
  const suspended = await suspendAccount({ suspensions: store.suspensions, ...timing })({ account });
  const note = known.value ? "" : " It has no recipients: make sure that the id is right.";
  return suspended.map(
    () => `Suspended: the account can do nothing, and its aliases accept no mail. ${WHEN}${note}`,
  );
});

export const resume = changing(async ({ suspensions }, account, since) => {
  if (since === null) return ok("The account is not suspended.");
  const resumed = await resumeAccount({ suspensions, ...timing })({ account });
  return resumed.map(() => `Resumed: the account is as it was before. ${WHEN}`);
});
