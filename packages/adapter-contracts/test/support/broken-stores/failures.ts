import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { err, NO_LIMITS, type Result, type Unavailable } from "@postern/core";
import { newAccount, newEntry, newRecipient } from "../../../src/samples.ts";
import { afterFailure, before } from "../faults.ts";
import { intercepted } from "../intercepted.ts";
import { type Broken, flaw, saying } from "./broken.ts";

const CLOSED = "once the store is closed, every port resolves to ok or unavailable";
const IN_FLIGHT = "calls in flight while the store is closed resolve to ok or unavailable";
const NO_TIME = "a call without any time left is unavailable and changes nothing";
const LITTLE_TIME = "calls with little time left resolve to ok or unavailable";
const PING = "ping succeeds while the store is open";
const PING_STORES_NOTHING = "a ping stores nothing that another call returns";

const PORTS = Object.entries(memoryStore()).flatMap(([name, port]) =>
  typeof port === "function" ? [name] : Object.keys(port).map((each) => `${name}.${each}`),
);

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
const REJECTED = "rejected: ports never reject (database is closed)";

type Port = () => Promise<Result<unknown, { readonly code: string }>>;

/** A store that works until it is closed. Then `call` replaces every port, which it gets with whether the store is closed. */
const closable = (call: (port: Port, isClosed: () => boolean) => unknown): Broken["open"] => {
  return () => {
    let closed = false;
    const store = intercepted((_, port) => call(port, () => closed));
    return {
      ...store,
      close: async () => {
        closed = true;
      },
    };
  };
};

/** A store that works until it is closed. Then `call` replaces every port. */
const onceClosed = (call: () => unknown): Broken["open"] =>
  closable((port, isClosed) => (isClosed() ? call() : port()));

/** Never settles after it is closed. Detecting that takes a minute, so it is tested separately. */
export const hangingStore = onceClosed(() => new Promise(() => {}));

const unavailable = (source: string, reason: string): Unavailable => ({
  code: "unavailable",
  cause: { source, reason },
});

export const brokenFailures: readonly Broken[] = [
  ...PORTS.flatMap((port): readonly Broken[] => [
    {
      flaw: `${port} rejects`,
      noticedBy: [CLOSED, IN_FLIGHT],
      says: `${port} ${REJECTED}`,
      open: () => intercepted(async (name, call) => (name === port ? fail() : call())),
    },
    {
      flaw: `${port} throws`,
      noticedBy: [CLOSED, IN_FLIGHT],
      says: `${port} threw: ports never reject (database is closed)`,
      open: () => intercepted((name, call) => (name === port ? fail() : call())),
    },
  ]),
  ...PORTS.filter((port) => !UNTIMED.includes(port)).map(
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
  flaw("the end of an account's suspension ignores that no time is left", [NO_TIME], {
    "suspensions.resume": async (resume, account, timeLeft) => {
      const resumed = await resume(account);
      return timeLeft === 0 ? err({ code: "unavailable" }) : resumed;
    },
  }),
  flaw("turns begin even if no time is left", [NO_TIME], {
    "outbox.begin": async (begin, turns, timeLeft) => {
      const begun = await begin(turns);
      return timeLeft === 0 ? err({ code: "unavailable" }) : begun;
    },
  }),
  {
    flaw: "a call that runs out of time rejects",
    noticedBy: [LITTLE_TIME],
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
    says: REJECTED,
    open: onceClosed(async () => fail()),
  },
  {
    flaw: "every port throws once the store is closed",
    noticedBy: [CLOSED],
    says: "threw: ports never reject (database is closed)",
    open: onceClosed(fail),
  },
  {
    flaw: "a closed store reports conflicts",
    noticedBy: [CLOSED],
    open: onceClosed(async () => err({ code: "conflict" })),
  },
  {
    flaw: "a cause quotes an address",
    noticedBy: [CLOSED],
    says: "returned a cause that must have a reason of 1 to 200 printable ASCII characters, without @",
    open: onceClosed(async () => err(unavailable("test", "ada@example.org: gone"))),
  },
  {
    flaw: "a cause is of any source",
    noticedBy: [CLOSED],
    says: "returned a cause that must have a source of 1 to 32 lower-case letters, digits and hyphens",
    open: onceClosed(async () => err(unavailable("Host 1", "gone"))),
  },
  {
    flaw: "calls in flight reject when the store is closed",
    noticedBy: [IN_FLIGHT],
    says: REJECTED,
    open: closable(async (port, isClosed) => {
      if (isClosed()) return err({ code: "unavailable" });
      await setImmediate();
      return isClosed() ? fail() : port();
    }),
  },
  ...saying("aliases.save rejected: ports never reject (conflict)", [
    flaw(
      "a save that conflicts rejects",
      [
        "saving an alias from an older version changes nothing",
        "two saves of an alias from the same version race: exactly one succeeds",
        "many saves of an alias from the same version race: exactly one succeeds",
        "interleaved replacements and deactivations take effect one after the other",
      ],
      {
        "aliases.save": afterFailure(({ code }) => {
          throw new Error(code);
        }),
      },
    ),
  ]),
  {
    flaw: "recordOutcome resolves to nothing",
    noticedBy: [
      "each event is counted once, in any order and however often it is reported, without changing settings",
      "after every step of a random sequence of operations, the store matches a plain model",
    ],
    says: "aliases.recordOutcome resolved to something that is not a Result",
    open: () => intercepted(async (name, call) => (name === "aliases.recordOutcome" ? void call() : call())),
  },
  flaw("ping fails", [PING, PING_STORES_NOTHING], { ping: async () => err({ code: "unavailable" }) }),
  flaw("a ping adds an entry to the mail ledger", [PING_STORES_NOTHING], ({ mailLedger }) => ({
    ping: before(() => mailLedger.save([newEntry()])),
  })),
  flaw("a ping adds a recipient", [PING_STORES_NOTHING], ({ recipients }) => ({
    ping: before(() => recipients.create(newRecipient(newAccount()), NO_LIMITS)),
  })),
];
