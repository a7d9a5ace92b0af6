import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { err, NO_LIMITS, ok } from "@postern/core";
import { newAccount, newEntry, newRecipient } from "../../../src/samples.ts";
import { intercepted } from "../intercepted.ts";
import { aliases, type Broken, outbox, suspensions } from "./broken.ts";

const CLOSED = "once the store is closed, every port resolves to ok or unavailable";
const IN_FLIGHT = "calls in flight while the store is closed resolve to ok or unavailable";

const NO_TIME = "a call without any time left is unavailable and changes nothing";

const ports: readonly string[] = [
  ...Object.keys(memoryStore().aliases).map((name) => `aliases.${name}`),
  ...Object.keys(memoryStore().recipients).map((name) => `recipients.${name}`),
  ...Object.keys(memoryStore().contacts).map((name) => `contacts.${name}`),
  ...Object.keys(memoryStore().blockedSenders).map((name) => `blockedSenders.${name}`),
  ...Object.keys(memoryStore().messageLog).map((name) => `messageLog.${name}`),
  ...Object.keys(memoryStore().resends).map((name) => `resends.${name}`),
  ...Object.keys(memoryStore().webhooks).map((name) => `webhooks.${name}`),
  ...Object.keys(memoryStore().outbox).map((name) => `outbox.${name}`),
  ...Object.keys(memoryStore().mailLedger).map((name) => `mailLedger.${name}`),
  ...Object.keys(memoryStore().suspensions).map((name) => `suspensions.${name}`),
  "accounts",
  "ping",
];

/** A store that works until it is closed. Then `call` replaces every port. */
const closable = (call: () => unknown): Broken["open"] => {
  return () => {
    let closed = false;
    const store = intercepted((_, real) => (closed ? call() : real()));
    const close = async () => {
      closed = true;
    };
    return { ...store, close };
  };
};

/** The ports whose callers do not say how long they wait. */
const UNTIMED: readonly string[] = [
  "aliases.retireAddress",
  "aliases.listRetiredAddresses",
  "contacts.listOfAccount",
  "mailLedger.list",
  "accounts",
  "ping",
];

const fail = (): never => {
  throw new Error("database is closed");
};

/** Never settles after it is closed. Detecting that takes a minute, so it is tested separately. */
export const hangingStore = closable(() => new Promise(() => {}));

export const brokenFailures: readonly Broken[] = [
  ...ports.flatMap((port): readonly Broken[] => [
    {
      flaw: `${port} rejects`,
      noticedBy: [CLOSED, IN_FLIGHT],
      says: `${port} rejected: ports never reject (database is closed)`,
      open: () => intercepted(async (name, call) => (name === port ? fail() : call())),
    },
    {
      flaw: `${port} throws`,
      noticedBy: [CLOSED, IN_FLIGHT],
      says: `${port} threw: ports never reject (database is closed)`,
      open: () => intercepted((name, call) => (name === port ? fail() : call())),
    },
  ]),
  ...ports
    .filter((port) => !UNTIMED.includes(port))
    .map(
      (port): Broken => ({
        flaw: `${port} ignores that no time is left`,
        noticedBy: [NO_TIME],
        says: port,
        open: () =>
          intercepted((name, call, args) =>
            name === port && args.at(-1) === 0 ? call(args.slice(0, -1)) : call(),
          ),
      }),
    ),
  {
    flaw: "what has no time left is unavailable, but done",
    noticedBy: [NO_TIME],
    open: () =>
      intercepted(async (_, call, args) => {
        if (args.at(-1) !== 0) return call();
        await call(args.slice(0, -1));
        return err({ code: "unavailable" });
      }),
  },
  {
    flaw: "the end of an account's suspension ignores that no time is left",
    noticedBy: [NO_TIME],
    open: suspensions((real) => ({
      resume: async (account, timeLeft) => {
        const resumed = await real.resume(account);
        return timeLeft === 0 ? err({ code: "unavailable" }) : resumed;
      },
    })),
  },
  {
    flaw: "turns begin even if no time is left",
    noticedBy: [NO_TIME],
    open: outbox((real) => ({
      begin: async (turns, timeLeft) => {
        const begun = await real.begin(turns);
        return timeLeft === 0 ? err({ code: "unavailable" }) : begun;
      },
    })),
  },
  {
    flaw: "a call that runs out of time rejects",
    noticedBy: ["calls with little time left resolve to ok or unavailable"],
    says: "rejected: ports never reject (aborted)",
    open: () =>
      intercepted(async (_, call, args) => {
        if (args.at(-1) === 1) throw new Error("aborted");
        return call();
      }),
  },
  {
    flaw: "every port rejects once the store is closed",
    noticedBy: [CLOSED],
    says: "rejected: ports never reject (database is closed)",
    open: closable(async () => fail()),
  },
  {
    flaw: "every port throws once the store is closed",
    noticedBy: [CLOSED],
    says: "threw: ports never reject (database is closed)",
    open: closable(fail),
  },
  {
    flaw: "a closed store reports conflicts",
    noticedBy: [CLOSED],
    open: closable(async () => err({ code: "conflict" })),
  },
  {
    flaw: "a cause quotes an address",
    noticedBy: [CLOSED],
    says: "returned a cause that must have a reason of 1 to 200 printable ASCII characters, without @",
    open: closable(async () =>
      err({ code: "unavailable", cause: { source: "test", reason: "ada@example.org: gone" } }),
    ),
  },
  {
    flaw: "a cause is of any source",
    noticedBy: [CLOSED],
    says: "returned a cause that must have a source of 1 to 32 lower-case letters, digits and hyphens",
    open: closable(async () => err({ code: "unavailable", cause: { source: "Host 1", reason: "gone" } })),
  },
  {
    flaw: "calls in flight reject when the store is closed",
    noticedBy: [IN_FLIGHT],
    says: "rejected: ports never reject (database is closed)",
    open: () => {
      let closed = false;
      const store = intercepted(async (_, call) => {
        if (closed) return err({ code: "unavailable" });
        await setImmediate();
        return closed ? fail() : call();
      });
      const close = async () => {
        closed = true;
      };
      return { ...store, close };
    },
  },
  {
    flaw: "a save that conflicts rejects",
    noticedBy: [
      "saving an alias from an older version changes nothing",
      "two saves of an alias from the same version race: exactly one succeeds",
      "many saves of an alias from the same version race: exactly one succeeds",
      "interleaved replacements and deactivations take effect one after the other",
    ],
    says: "aliases.save rejected: ports never reject (conflict)",
    open: aliases((real) => ({
      save: async (before, after) => {
        const saved = await real.save(before, after);
        if (saved.isErr()) throw new Error(saved.error.code);
        return saved;
      },
    })),
  },
  {
    flaw: "recordOutcome resolves to nothing",
    noticedBy: [
      "each event is counted once, in any order and however often it is reported, without changing settings",
      "after every step of a random sequence of operations, the store matches a plain model",
    ],
    says: "aliases.recordOutcome resolved to something that is not a Result",
    open: () => intercepted(async (name, call) => (name === "aliases.recordOutcome" ? void call() : call())),
  },
  {
    flaw: "ping fails",
    noticedBy: ["ping succeeds while the store is open", "a ping stores nothing that another call returns"],
    open: () => ({ ...memoryStore(), ping: async () => err({ code: "unavailable" }) }),
  },
  {
    flaw: "a ping adds an entry to the mail ledger",
    noticedBy: ["a ping stores nothing that another call returns"],
    open: () => {
      const store = memoryStore();
      const ping = async () => {
        await store.mailLedger.save([newEntry()]);
        return ok();
      };
      return { ...store, ping };
    },
  },
  {
    flaw: "a ping adds a recipient",
    noticedBy: ["a ping stores nothing that another call returns"],
    open: () => {
      const store = memoryStore();
      const ping = async () => {
        await store.recipients.create(newRecipient(newAccount()), NO_LIMITS);
        return ok();
      };
      return { ...store, ping };
    },
  },
];
