import { setImmediate } from "node:timers/promises";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId } from "@postern/core";
import { parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { turns as turnsOf } from "../src/store/turns.ts";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

/** Turns, and `inTurn` for work of one step. `commit` commits all writes by default. */
const turns = (commit: (writes: readonly string[]) => readonly string[] = () => []) => {
  const { inTurns, enqueue } = turnsOf(commit);
  return {
    inTurns,
    enqueue,
    inTurn: <T>(account: string, work: () => T): Promise<T> =>
      inTurns(account, { next: () => ({ done: true, value: work() }) }),
  };
};

/** Until the end of the test, no time passes, so that only turns decide what comes next. */
const stopTime = () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
};

const block = (milliseconds: number) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

test("accounts take turns; each account's work is done in order", async () => {
  stopTime();
  const { inTurn } = turns();
  const done: string[] = [];
  const work = (account: string, name: string) => inTurn(account, () => done.push(name));
  await Promise.all([
    ...["a1", "a2", "a3", "a4"].map((name) => work("a", name)),
    ...["b1", "b2"].map((name) => work("b", name)),
    work("c", "c1"),
  ]);
  expect(done).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("no other work of the account runs between the steps of one piece of work", async () => {
  stopTime();
  const { inTurn, inTurns } = turns();
  const done: string[] = [];
  const steps = function* () {
    done.push("a1");
    yield;
    done.push("a2");
    yield;
    done.push("a3");
    return "a";
  };
  const work = (account: string, name: string) => inTurn(account, () => done.push(name));
  const [result] = await Promise.all([
    inTurns("a", steps()),
    work("a", "a4"),
    work("b", "b1"),
    work("b", "b2"),
  ]);
  expect(result).toBe("a");
  expect(done).toEqual(["a1", "b1", "a2", "b2", "a3", "a4"]);
});

test("work resolves to its result", async () => {
  const { inTurn } = turns();
  expect(await Promise.all([inTurn("a", () => 1), inTurn("a", () => "two")])).toEqual([1, "two"]);
});

test("writes are committed together, before later work of their accounts, and accounts take turns among them", async () => {
  stopTime();
  const done: string[] = [];
  const { inTurn, enqueue } = turns((writes) => {
    done.push(writes.join("+"));
    return [];
  });
  const read = (account: string, name: string) => inTurn(account, () => done.push(name));
  for (const name of ["a1", "a2"]) enqueue("a", name);
  const reads = [read("a", "a3")];
  enqueue("a", "a4");
  reads.push(read("b", "b1"));
  enqueue("b", "b2");
  enqueue("c", "c1");
  await Promise.all(reads);
  await setImmediate();
  expect(done).toEqual(["b1", "a1+c1+a2+b2", "a3", "a4"]);
});

test("writes that there was no time for come next, before later work of their accounts", async () => {
  stopTime();
  const done: string[] = [];
  const { inTurn, enqueue } = turns(([first = "", ...others]) => {
    done.push(first);
    return others;
  });
  const read = (account: string, name: string) => inTurn(account, () => done.push(name));
  for (const name of ["a1", "a2", "a3"]) enqueue("a", name);
  const reads = [read("a", "a4")];
  enqueue("b", "b1");
  reads.push(read("b", "b2"), read("c", "c1"));
  await Promise.all(reads);
  expect(done).toEqual(["c1", "a1", "b1", "b2", "a2", "a3", "a4"]);
});

test("other work of the process runs after a few milliseconds of turns", async () => {
  const { inTurn } = turns();
  let done = 0;
  const all = Promise.all(
    Array.from({ length: 20 }, () =>
      inTurn("a", () => {
        block(3);
        done += 1;
      }),
    ),
  );
  const seen: number[] = [];
  while (done < 20) {
    await setImmediate();
    seen.push(done);
  }
  await all;
  expect(seen.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
});

test("however much one account requests, another account's call is among the next to run", async () => {
  const store = valueOf(sqliteStore({ path: ":memory:", clock: { now: () => NOW } }));
  const other = valueOf(parseAccountId("other"));
  for (const account of [ACCOUNT, other]) {
    const recipients = Array.from({ length: 10 }, (_, n) => recipientNumber(n, account));
    for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
    for (let n = 0; n < 40; n += 1) {
      const alias = aliasNumber(account === other ? n + 1_000 : n, recipients, account);
      valueOf(await store.aliases.create(alias, NO_LIMITS));
    }
  }
  let finished = 0;
  const flood = Array.from({ length: 64 }, () =>
    store.aliases.list(ACCOUNT, { limit: 40, after: null }, { deleted: false }).then(() => (finished += 1)),
  );
  const page = await store.aliases.list(other, { limit: 10, after: null }, { deleted: false });
  expect(valueOf(page).items).toHaveLength(10);
  expect(finished).toBeLessThan(8);
  await Promise.all(flood);
  store.close();
});

test("however many messages one account is charged for, a call of no account is among the next to run", async () => {
  const store = valueOf(sqliteStore({ path: ":memory:", clock: { now: () => NOW } }));
  const entry = (name: string) => ({
    key: valueOf(parseLedgerKey(name.padEnd(16, "-"))),
    chargedAt: [NOW],
    suppressedAt: null,
    expiresAt: NOW + 1,
    version: 1,
  });
  let finished = 0;
  const flood = Array.from({ length: 64 }, (_, n) =>
    store.mailLedger.save([entry(`mailbox-${n}`), entry("account")]).then(() => (finished += 1)),
  );
  valueOf(await store.ping());
  expect(finished).toBeLessThan(8);
  await Promise.all(flood);
  store.close();
});

test("work that gets no turn before its caller's time is up is not done", async () => {
  const store = valueOf(sqliteStore({ path: ":memory:", clock: { now: () => NOW } }));
  const [first, second, third] = [recipientNumber(0), recipientNumber(1), recipientNumber(2)];
  const list = () => store.recipients.list(ACCOUNT, { limit: 10, after: null }, 5);
  const results = [
    store.recipients.create(first, NO_LIMITS, 600_000),
    store.recipients.create(second, NO_LIMITS, 5),
    list(),
    store.recipients.create(third, NO_LIMITS),
  ];
  // The turns begin after this.
  block(20);
  const late = {
    error: { code: "unavailable", cause: { source: "sqlite", reason: "no turn before the deadline" } },
  };
  expect(await Promise.all(results)).toMatchObject([{ value: undefined }, late, late, { value: undefined }]);
  const ids = [first, second, third].map(({ id }) => id);
  const stored = valueOf(await store.recipients.findAll(ACCOUNT, ids)).map(({ id }) => id);
  expect(stored).toEqual([first.id, third.id]);
  store.close();
});

test("a long list takes no further turn once its caller's time is up", async () => {
  const store = valueOf(sqliteStore({ path: ":memory:", clock: { now: () => NOW } }));
  const recipients = Array.from({ length: 40 }, (_, n) => recipientNumber(n));
  for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  for (let n = 0; n < 100; n += 1) {
    valueOf(await store.aliases.create(aliasNumber(n, recipients), NO_LIMITS));
  }
  const page = { limit: 100, after: null };
  // However fast the machine is, each part of the list takes a turn of its own, and the time is up before the last one.
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
  const listed = store.aliases.list(ACCOUNT, page, { deleted: false }, 45);
  expect(await listed).toMatchObject({ error: { cause: { reason: "no turn before the deadline" } } });
  clock.mockRestore();
  expect(valueOf(await store.aliases.list(ACCOUNT, page, { deleted: false }, 10_000)).items).toHaveLength(
    100,
  );
  store.close();
});
