import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, err, ok, parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Broken, suspensions } from "./broken.ts";

const TIMES = "an account is suspended since the earliest time given, until it is resumed";
const OTHERS = "suspending or resuming an account leaves all others as they are";
const UNCHANGED = "suspending or resuming an account changes nothing that it has";
const SAME = "a store works the same for a suspended account";
const LISTED = "accounts lists a suspended account once, whether or not it has anything else";
const OUTLIVES = "a suspension outlives the data of its account";
const TWICE = "two suspensions of an account race: it is suspended since the earlier time";
const RESUMED = "suspending an account again races with resuming it: one takes effect after the other";

export const brokenSuspensions: readonly Broken[] = [
  {
    flaw: "a suspension is not stored",
    noticedBy: [TIMES, OTHERS, SAME, LISTED, OUTLIVES, TWICE],
    open: suspensions(() => ({ suspend: async () => ok() })),
  },
  {
    flaw: "a resumed account stays suspended",
    noticedBy: [TIMES, OTHERS, LISTED, OUTLIVES, RESUMED],
    open: suspensions(() => ({ resume: async () => ok() })),
  },
  {
    flaw: "the later time of a suspension is kept",
    noticedBy: [TIMES, TWICE],
    open: suspensions((real) => ({
      suspend: async (account, at) => {
        const since = valueOf(await real.find(account));
        if (since !== null && at > since) await real.resume(account);
        return since !== null && at < since ? ok() : real.suspend(account, at);
      },
    })),
  },
  {
    flaw: "the first time of a suspension is kept, even if another one is earlier",
    noticedBy: [TIMES, TWICE],
    open: suspensions((real) => ({
      suspend: async (account, at) =>
        valueOf(await real.find(account)) === null ? real.suspend(account, at) : ok(),
    })),
  },
  {
    flaw: "a suspension since 1970 counts as none",
    noticedBy: [TIMES],
    open: suspensions((real) => ({
      find: async (account) => (await real.find(account)).map((since) => since || null),
    })),
  },
  {
    flaw: "a resumed account is suspended since the old time again",
    noticedBy: [TIMES],
    open: suspensions((real) => {
      const first = new Map<AccountId, number>();
      return {
        suspend: (account, at) => {
          first.set(account, Math.min(at, first.get(account) ?? at));
          return real.suspend(account, first.get(account) ?? at);
        },
      };
    }),
  },
  {
    flaw: "accounts whose ids look alike are suspended together",
    noticedBy: [OTHERS],
    open: suspensions((real) => {
      const fold = (account: AccountId) => valueOf(parseAccountId(account.normalize("NFC")));
      return {
        find: (account) => real.find(fold(account)),
        suspend: (account, at) => real.suspend(fold(account), at),
        resume: (account) => real.resume(fold(account)),
      };
    }),
  },
  {
    flaw: "resuming one account resumes all",
    noticedBy: [OTHERS],
    open: suspensions((real) => {
      const suspended = new Set<AccountId>();
      return {
        suspend: (account, at) => {
          suspended.add(account);
          return real.suspend(account, at);
        },
        resume: async () => {
          for (const account of suspended) await real.resume(account);
          return ok();
        },
      };
    }),
  },
  {
    flaw: "suspending an account deactivates its aliases",
    noticedBy: [UNCHANGED],
    open: suspensions((real, { aliases }) => ({
      suspend: async (account, at) => {
        const page = { limit: 100, after: null };
        for (const alias of valueOf(await aliases.list(account, page, { deleted: false })).items) {
          await aliases.save(alias, { ...alias, active: false });
        }
        return real.suspend(account, at);
      },
    })),
  },
  {
    flaw: "a suspended account cannot create recipients",
    noticedBy: [SAME],
    open: () => {
      const store = memoryStore();
      const create: typeof store.recipients.create = async (recipient, limits) =>
        valueOf(await store.suspensions.find(recipient.account)) === null
          ? store.recipients.create(recipient, limits)
          : err({ code: "unavailable" });
      return { ...store, recipients: { ...store.recipients, create } };
    },
  },
  {
    flaw: "an account is listed once for its data and once for its suspension",
    noticedBy: [LISTED],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) => {
          const listed = valueOf(await store.accounts(page));
          const items: AccountId[] = [];
          for (const account of listed.items) {
            const { length } = valueOf(await store.recipients.list(account, { limit: 1, after: null })).items;
            const since = valueOf(await store.suspensions.find(account));
            items.push(...(length > 0 && since !== null ? [account, account] : [account]));
          }
          return ok({ ...listed, items });
        },
      };
    },
  },
  {
    flaw: "an account that has only a suspension is not listed",
    noticedBy: [LISTED, OUTLIVES],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) => {
          const listed = valueOf(await store.accounts(page));
          const items: AccountId[] = [];
          for (const account of listed.items) {
            const own = valueOf(await store.recipients.list(account, { limit: 1, after: null }));
            if (own.items.length > 0) items.push(account);
          }
          return ok({ ...listed, items });
        },
      };
    },
  },
  {
    flaw: "a suspension ends with the last recipient",
    noticedBy: [OUTLIVES],
    open: () => {
      const store = memoryStore();
      const remove: typeof store.recipients.remove = async (recipient) => {
        const removed = await store.recipients.remove(recipient);
        const own = valueOf(await store.recipients.list(recipient.account, { limit: 1, after: null }));
        if (own.items.length === 0) await store.suspensions.resume(recipient.account);
        return removed;
      };
      return { ...store, recipients: { ...store.recipients, remove } };
    },
  },
  {
    flaw: "the time of a suspension is read a turn before it is written",
    noticedBy: [TWICE, RESUMED],
    open: suspensions((real) => ({
      suspend: async (account, at) => {
        const since = valueOf(await real.find(account));
        await setImmediate();
        await real.resume(account);
        return real.suspend(account, Math.min(at, since ?? at));
      },
    })),
  },
];
