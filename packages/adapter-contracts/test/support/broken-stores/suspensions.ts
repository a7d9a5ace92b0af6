import { setImmediate } from "node:timers/promises";
import { type AccountId, parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  after,
  answering,
  before,
  calling,
  changingFirst,
  failingIf,
  ignoring,
  ignoringIf,
} from "../faults.ts";
import { ALL, recipientsOf } from "../stored.ts";
import { type Broken, flaw, listingAccounts, listingByRecipients } from "./broken.ts";

const TIMES = "an account is suspended since the earliest time given, until it is resumed";
const OTHERS = "suspending or resuming an account leaves all others as they are";
const UNCHANGED = "suspending or resuming an account changes nothing that it has";
const SAME = "a store works the same for a suspended account";
const LISTED = "accounts lists a suspended account once, whether or not it has anything else";
const OUTLIVES = "a suspension outlives the data of its account";
const TWICE = "two suspensions of an account race: it is suspended since the earlier time";
const RESUMED = "suspending an account again races with resuming it: one takes effect after the other";

const fold = (account: AccountId): AccountId => valueOf(parseAccountId(account.normalize("NFC")));

export const brokenSuspensions: readonly Broken[] = [
  flaw("a suspension is not stored", [TIMES, OTHERS, SAME, LISTED, OUTLIVES, TWICE], {
    "suspensions.suspend": ignoring,
  }),
  flaw("a resumed account stays suspended", [TIMES, OTHERS, LISTED, OUTLIVES, RESUMED], {
    "suspensions.resume": ignoring,
  }),
  flaw("the later time of a suspension is kept", [TIMES, TWICE], ({ suspensions }) => ({
    "suspensions.suspend": ignoringIf(async (account, at) => {
      const since = valueOf(await suspensions.find(account));
      if (since !== null && at > since) await suspensions.resume(account);
      return since !== null && at < since;
    }),
  })),
  flaw(
    "the first time of a suspension is kept, even if another one is earlier",
    [TIMES, TWICE],
    ({ suspensions }) => ({
      "suspensions.suspend": ignoringIf(async (account) => valueOf(await suspensions.find(account)) !== null),
    }),
  ),
  flaw("a suspension since 1970 counts as none", [TIMES], {
    "suspensions.find": answering((since) => since || null),
  }),
  flaw("a resumed account is suspended since the old time again", [TIMES], () => {
    const first = new Map<AccountId, number>();
    return {
      "suspensions.suspend": calling((account, at, ...timeLeft) => {
        const since = Math.min(at, first.get(account) ?? at);
        first.set(account, since);
        return [account, since, ...timeLeft];
      }),
    };
  }),
  flaw("accounts whose ids look alike are suspended together", [OTHERS], {
    "suspensions.find": changingFirst(fold),
    "suspensions.suspend": changingFirst(fold),
    "suspensions.resume": changingFirst(fold),
  }),
  flaw("resuming one account resumes all", [OTHERS], ({ suspensions }) => {
    const suspended = new Set<AccountId>();
    return {
      "suspensions.suspend": before((account) => suspended.add(account)),
      "suspensions.resume": before(async () => {
        for (const account of suspended) await suspensions.resume(account);
      }),
    };
  }),
  flaw("suspending an account deactivates its aliases", [UNCHANGED], ({ aliases }) => ({
    "suspensions.suspend": before(async (account) => {
      for (const alias of valueOf(await aliases.list(account, ALL, { deleted: false })).items) {
        await aliases.save(alias, { ...alias, active: false });
      }
    }),
  })),
  flaw("a suspended account cannot create recipients", [SAME], ({ suspensions }) => ({
    "recipients.create": failingIf(
      { code: "unavailable" },
      async ({ account }) => valueOf(await suspensions.find(account)) !== null,
    ),
  })),
  flaw(
    "an account is listed once for its data and once for its suspension",
    [LISTED],
    listingAccounts(async (store, account) => {
      const isSuspended = valueOf(await store.suspensions.find(account)) !== null;
      return isSuspended && (await recipientsOf(store, account)).length > 0 ? 2 : 1;
    }),
  ),
  flaw("an account that has only a suspension is not listed", [LISTED, OUTLIVES], listingByRecipients),
  flaw("a suspension ends with the last recipient", [OUTLIVES], (store) => ({
    "recipients.remove": after(async ({ account }) => {
      if ((await recipientsOf(store, account)).length === 0) await store.suspensions.resume(account);
    }),
  })),
  flaw(
    "the time of a suspension is read a turn before it is written",
    [TWICE, RESUMED],
    ({ suspensions }) => ({
      "suspensions.suspend": async (suspend, account, at) => {
        const since = valueOf(await suspensions.find(account));
        await setImmediate();
        await suspensions.resume(account);
        return suspend(account, Math.min(at, since ?? at));
      },
    }),
  ),
];
