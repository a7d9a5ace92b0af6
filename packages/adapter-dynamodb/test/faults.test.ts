import { isDeepStrictEqual } from "node:util";
import type { Store } from "@postern/core";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { runsWhole } from "@postern/test-support/runs-whole";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import type { Plan } from "./support/fault-proxy.ts";
import { FAULTS, type Fault } from "./support/fault-proxy-faults.ts";
import {
  type Operation,
  pings,
  reads,
  refusals,
  writes,
  writesAfterRefusal,
} from "./support/fault-proxy-operations.ts";
import { always, inTurn, on } from "./support/fault-proxy-plans.ts";
import { openWorld, type World } from "./support/fault-proxy-world.ts";
import type { Item } from "./support/items.ts";

/**
 * The faults after which a transaction was certainly not applied. After the others it may have been, or may still be.
 */
const CLEAR: ReadonlySet<Fault> = new Set(["throttled", "over capacity", "conflict", "unprocessed keys"]);

const WHOLE = runsWhole(import.meta.url);

const UNAVAILABLE = { error: { code: "unavailable" } };

/** The reasons that the faults can have in a cause: any other would be a defect of this adapter. */
const KNOWN_FAULTS = expect.stringMatching(
  /^(no response before the deadline|(ThrottlingException|ProvisionedThroughputExceededException|InternalServerError|TransactionConflictException|TransactionCanceledException: TransactionConflict|UnprocessedKeys|ETIMEDOUT|a response that is not DynamoDB's|ECONNRESET|EPIPE)( until the deadline| left unclear whether it was applied))$/,
);

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A call, with its own world, and its result and effect without faults. */
type Case = {
  readonly name: string;
  readonly run: Operation;
  readonly world: World;
  readonly before: unknown;
  readonly after: unknown;
  readonly expected: Outcome;
};

/** Ignores the events of an erased alias: a fault can keep them from being deleted. */
const withoutOrphans = (items: readonly Item[]): readonly Item[] => {
  const erased = !items.some(({ sk }) => sk === "alias#alias-shop");
  return erased ? items.filter(({ sk }) => !sk.startsWith("event#")) : items;
};

/** An account that was never counted may have the token of an unfinished count. */
const withoutTokens = (items: readonly Item[]): readonly Item[] =>
  items.filter((item) => !("counting" in item));

/** A ping writes an item of its own. */
const withoutProbe = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ pk }) => pk !== Key.probe.pk);

/** Which events a tally item remembers, without the random digits of their marks. */
const withoutMarks = (items: readonly Item[]): readonly Item[] =>
  items.map((item) =>
    item.sk.startsWith("tally#") ? { ...item, events: Object.keys(Object(item["events"])).toSorted() } : item,
  );

const contentOf = async (world: World) =>
  withoutMarks(withoutProbe(withoutTokens(withoutOrphans(await world.content()))));

const call = async (run: Operation, store: Store): Promise<Outcome> => {
  const result = await run(store);
  if (result.isOk()) return { value: result.value };
  const { error } = result;
  if (error.code !== "unavailable") return { error };
  expect(error).toEqual({ code: "unavailable", cause: { source: "dynamodb", reason: KNOWN_FAULTS } });
  return UNAVAILABLE;
};

let initial: readonly Item[] | undefined;

/** Opens one world at a time: DynamoDB Local is slow when it has just started. */
const open = async (dynamodb: DynamoDb, operations: Readonly<Record<string, Operation>>): Promise<Case[]> => {
  const opened: Case[] = [];
  for (const [name, run] of Object.entries(operations)) {
    const world = await openWorld(dynamodb, initial);
    initial ??= world.initial;
    const before = await contentOf(world);
    const expected = await call(run, world.noRequestTimeout);
    opened.push({ name, run, world, before, expected, after: await contentOf(world) });
  }
  return opened;
};

let dynamodb: DynamoDb;
let writing: readonly Case[] = [];
let resuming: readonly Case[] = [];
let refused: readonly Case[] = [];
let reading: readonly Case[] = [];
let pinging: readonly Case[] = [];
const every = () => [...writing, ...resuming, ...refused, ...reading, ...pinging];

beforeAll(async () => {
  dynamodb = await sharedDynamoDb();
  writing = await open(dynamodb, writes);
  resuming = await open(dynamodb, writesAfterRefusal);
  refused = await open(dynamodb, refusals);
  reading = await open(dynamodb, reads);
  pinging = await open(dynamodb, pings);
});

afterAll(async () => {
  await Promise.all(every().map(({ world }) => world.close()));
});

/**
 * Makes the call under the plan and checks the guarantee: either the result is right and the change was applied once
 * and completely; or the result is `unavailable`, and the change was applied completely or not at all.
 */
const make = async ({ name, run, world, before, after, expected }: Case, plan: Plan, store = world.store) => {
  await world.reset();
  const passed = world.proxy.passages.length;
  world.proxy.follow(plan);
  const outcome = await call(run, store);
  await world.proxy.settled();
  world.proxy.follow(() => null);

  expect([expected, UNAVAILABLE], name).toContainEqual(outcome);
  const sure = isDeepStrictEqual(outcome, expected);
  expect(sure ? [after] : [before, after], name).toContainEqual(await contentOf(world));
  const faults = world.proxy.passages.slice(passed).flatMap(({ fault }) => fault ?? []);
  return { outcome, faults };
};

/** Repeats the call without faults, after which its change must have been applied exactly once. */
const repeat = async ({ name, run, world, after }: Case): Promise<void> => {
  await run(world.noRequestTimeout);
  expect(await contentOf(world), name).toEqual(after);
};

/** Runs all checks concurrently; waits for all of them even if one fails, so that none runs into the next test. */
const forAll = async <T>(
  cases: readonly Case[],
  check: (each: Case) => Promise<T>,
): Promise<readonly T[]> => {
  const checks = cases.map(check);
  await Promise.allSettled(checks);
  return Promise.all(checks);
};

test("without faults, writes change something; refusals and reads change nothing", async () => {
  for (const { name, before, after, expected } of [...writing, ...resuming]) {
    expect(expected, name).toHaveProperty("value");
    expect(after, name).not.toEqual(before);
  }
  for (const { name, before, after, expected } of refused) {
    expect(expected, name).not.toEqual({ value: "recorded" });
    expect(after, name).toEqual(before);
  }
  for (const { name, before, after, expected } of [...reading, ...pinging]) {
    expect(expected, name).toHaveProperty("value");
    expect(after, name).toEqual(before);
  }
});

describe.for(FAULTS)("under the fault: %s", (fault) => {
  /** In the short form every fault meets a third of the calls, and every call a third of the faults. */
  const some = (cases: readonly Case[]) =>
    WHOLE ? cases : cases.filter((_, n) => n % 3 === FAULTS.indexOf(fault) % 3);
  const silent = fault === "silence before" || fault === "silence after";
  /** One fault, and a store whose deadline outlasts it even on a busy machine. */
  const makeOnce = (each: Case, plan: Plan) =>
    make(each, plan, silent ? each.world.longDeadline : each.world.noRequestTimeout);

  test("once, at the first request: every write succeeds and every read is correct", async () => {
    const met = await forAll(some([...writing, ...reading]), async (each) => {
      const { outcome, faults } = await makeOnce(each, inTurn(fault));
      expect(outcome, each.name).toEqual(each.expected);
      return faults;
    });
    expect(met.flat()).toContain(fault);
  });

  test("once, at the first transaction: every write is applied once", async () => {
    await forAll(some(writing), async (each) => {
      const { outcome } = await makeOnce(each, on("TransactWriteItems", inTurn(fault)));
      expect(outcome, each.name).toEqual(each.expected);
      await repeat(each);
    });
  });

  test("once, at the first transaction: refusals are returned, unless an attempt may still be applied", async () => {
    await forAll(some(refused), async (each) => {
      const { outcome, faults } = await makeOnce(each, on("TransactWriteItems", inTurn(fault)));
      // What is refused before there is a transaction meets no fault.
      const isClear = CLEAR.has(fault) || faults.length === 0;
      expect(outcome, each.name).toEqual(isClear ? each.expected : UNAVAILABLE);
    });
  });

  test("once, at the first transaction: a write in the second transaction is applied once, or unavailable", async () => {
    await forAll(some(resuming), async (each) => {
      const { outcome } = await makeOnce(each, on("TransactWriteItems", inTurn(fault)));
      if (CLEAR.has(fault)) expect(outcome, each.name).toEqual(each.expected);
      await repeat(each);
    });
  });

  test("always: every call ends, and repeating it without faults applies the change once", async () => {
    const met = await forAll(some(every()), async (each) => {
      const { faults } = await make(each, always(fault), each.world.shortDeadline);
      await repeat(each);
      return faults;
    });
    expect(met.flat()).toContain(fault);
  });
});

test("under any sequence of faults, writes are applied once or not at all, and reads are correct", async () => {
  const faults = fc.array(fc.option(fc.constantFrom(...FAULTS), { freq: 4 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), faults, async (n, planned) => {
      const each = every()[n % every().length];
      if (each === undefined) throw new Error("there are cases");
      await make(each, inTurn(...planned));
      await repeat(each);
    }),
    { numRuns: WHOLE ? 50 : 15 },
  );
});
