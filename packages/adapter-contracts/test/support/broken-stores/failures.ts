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
const EACH_ONCE =
  "each event is counted once, in any order and however often it is reported, without changing settings";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";
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
const THREW = "threw: ports never reject (database is closed)";

const opening = (flaw: string, noticedBy: readonly string[], says: string, open: Broken["open"]): Broken => ({
  flaw,
  noticedBy,
  says,
  open,
});

type Port = () => Promise<Result<unknown, { readonly code: string }>>;

/** A store that can be closed. `call` replaces every port, which it gets with whether the store is closed. */
const closable =
  (call: (port: Port, isClosed: () => boolean) => unknown): Broken["open"] =>
  () => {
    let closed = false;
    const store = intercepted((_, port) => call(port, () => closed));
    const close = async () => {
      closed = true;
    };
    return { ...store, close };
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
  ...PORTS.flatMap((port) => [
    opening(`${port} rejects`, [CLOSED, IN_FLIGHT], `${port} ${REJECTED}`, () =>
      intercepted(async (name, call) => (name === port ? fail() : call())),
    ),
    opening(`${port} throws`, [CLOSED, IN_FLIGHT], `${port} ${THREW}`, () =>
      intercepted((name, call) => (name === port ? fail() : call())),
    ),
  ]),
  ...PORTS.filter((port) => !UNTIMED.includes(port)).map((port) =>
    opening(`${port} ignores that no time is left`, [NO_TIME], port, () =>
      intercepted((name, call, args) =>
        name === port && args.at(-1) === 0 ? call(args.slice(0, -1)) : call(),
      ),
    ),
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
  opening(
    "a call that runs out of time rejects",
    [LITTLE_TIME],
    "rejected: ports never reject (aborted)",
    () =>
      intercepted(async (_, call, args) => {
        if (args.at(-1) === 1) throw new Error("aborted");
        return call();
      }),
  ),
  opening(
    "every port rejects once the store is closed",
    [CLOSED],
    REJECTED,
    onceClosed(async () => fail()),
  ),
  opening("every port throws once the store is closed", [CLOSED], THREW, onceClosed(fail)),
  {
    flaw: "a closed store reports conflicts",
    noticedBy: [CLOSED],
    open: onceClosed(async () => err({ code: "conflict" })),
  },
  opening(
    "a cause quotes an address",
    [CLOSED],
    "returned a cause that must have a reason of 1 to 200 printable ASCII characters, without @",
    onceClosed(async () => err(unavailable("test", "ada@example.org: gone"))),
  ),
  opening(
    "a cause is of any source",
    [CLOSED],
    "returned a cause that must have a source of 1 to 32 lower-case letters, digits and hyphens",
    onceClosed(async () => err(unavailable("Host 1", "gone"))),
  ),
  opening(
    "calls in flight reject when the store is closed",
    [IN_FLIGHT],
    REJECTED,
    closable(async (port, isClosed) => {
      if (isClosed()) return err({ code: "unavailable" });
      await setImmediate();
      return isClosed() ? fail() : port();
    }),
  ),
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
  opening(
    "recordOutcome resolves to nothing",
    [EACH_ONCE, MODEL],
    "aliases.recordOutcome resolved to something that is not a Result",
    () => intercepted(async (name, call) => (name === "aliases.recordOutcome" ? void call() : call())),
  ),
  flaw("ping fails", [PING, PING_STORES_NOTHING], { ping: async () => err({ code: "unavailable" }) }),
  flaw("a ping adds an entry to the mail ledger", [PING_STORES_NOTHING], ({ mailLedger }) => ({
    ping: before(() => mailLedger.save([newEntry()])),
  })),
  flaw("a ping adds a recipient", [PING_STORES_NOTHING], ({ recipients }) => ({
    ping: before(() => recipients.create(newRecipient(newAccount()), NO_LIMITS)),
  })),
];
