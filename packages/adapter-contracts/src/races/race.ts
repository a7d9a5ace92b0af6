import { setImmediate, setTimeout } from "node:timers/promises";
import type { AccountId, Recipient, Result, Store } from "@postern/core";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import type { Part } from "../parts.ts";
import { newAccount, storeRecipient } from "../samples.ts";

/** One of several competing calls. */
export type Rival = () => Promise<Result<unknown, { readonly code: string }>>;

/** How long a call waits before it starts: turns of the event loop, then microtasks, then milliseconds. */
type HeadStart = { readonly turns?: number; readonly microtasks?: number; readonly milliseconds?: number };

const startLate = async (
  call: Rival,
  { turns = 0, microtasks = 0, milliseconds = 0 }: HeadStart,
): ReturnType<Rival> => {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  for (let microtask = 0; microtask < microtasks; microtask += 1) await Promise.resolve();
  if (milliseconds > 0) await setTimeout(milliseconds);
  return call();
};

/** The first one is none at all: the second call then starts before the first call has yielded. */
const HEAD_STARTS: readonly HeadStart[] = [
  ...[0, 1, 2, 3, 4].map((microtasks) => ({ microtasks })),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((turns) => ({ turns })),
];

/** Fractions of a race's duration, for stores whose calls leave the process and take thousands of turns. */
const SHARES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((twelfths) => twelfths / 12);

/** In milliseconds. In a race that takes this long, a few turns make no difference, so three head starts of that kind are enough. */
const LONG = 5;

type Pair = readonly [boolean, boolean];

export type Race = {
  readonly rivals: readonly [Rival, Rival];
  /** Throws unless the stored data agrees with the results. `succeeded` has a boolean for each rival. */
  verify(succeeded: Pair): Promise<void>;
};

const compete = async (ahead: Rival, behind: Rival, headStart: HeadStart): Promise<Pair> => {
  const [first, second] = await Promise.all([ahead(), startLate(behind, headStart)]);
  for (const result of [first, second]) {
    if (result.isErr() && result.error.code === "unavailable") {
      throw new Error("a call returned unavailable, although only two compete");
    }
  }
  return [first.isOk(), second.isOk()];
};

/**
 * Runs a race with every head start for either rival. If a store checks first and writes later, one of the head starts
 * lets the other rival write in between.
 */
const runRace = async (prepare: () => Promise<Race>): Promise<void> => {
  /** Returns how long the race took, in milliseconds. */
  const run = async (headStart: HeadStart, ahead: "first" | "second"): Promise<number> => {
    const { rivals, verify } = await prepare();
    const [first, second] = rivals;
    // biome-ignore lint/plugin: the head starts follow the speed of the store, not whether the race passes
    const start = performance.now();
    try {
      const [one, other] = await (ahead === "first"
        ? compete(first, second, headStart)
        : compete(second, first, headStart));
      // biome-ignore lint/plugin: as above
      const duration = performance.now() - start;
      await verify(ahead === "first" ? [one, other] : [other, one]);
      return duration;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`With a head start of ${JSON.stringify(headStart)} for the ${ahead} call: ${reason}`, {
        cause,
      });
    }
  };
  const durations: number[] = [];
  for (const headStart of HEAD_STARTS) {
    durations.push(Math.max(await run(headStart, "first"), await run(headStart, "second")));
    if (durations.length >= 3 && Math.min(...durations) >= LONG) break;
  }
  const [duration = 0] = durations.toSorted((a, b) => a - b).slice(durations.length / 2);
  for (const share of SHARES) {
    await run({ milliseconds: share * duration }, "first");
    await run({ milliseconds: share * duration }, "second");
  }
};

/** The data for a race: an account with two recipients. */
export type Setting = {
  readonly store: Store;
  readonly account: AccountId;
  readonly home: Recipient;
  readonly work: Recipient;
};

/** A check that two concurrent calls take effect one after the other. `prepare` creates new data for each race. */
export const raceCheckOf =
  (...needs: readonly Part[]) =>
  (name: string, prepare: (setting: Setting) => Promise<Race>): Check =>
    checkOf(...needs)(name, async (store) => {
      const account = newAccount();
      const home = await storeRecipient(store, account);
      const work = await storeRecipient(store, account);
      await runRace(() => prepare({ store, account, home, work }));
    });

export const raceCheck = raceCheckOf();

export const expectOne = (succeeded: readonly boolean[]): void => {
  const count = succeeded.filter(Boolean).length;
  if (count !== 1) throw new Error(`${count} calls succeeded instead of one`);
};

/** Head starts for `count` calls; often all start at once. */
export const headStarts = (count: number): fc.Arbitrary<readonly HeadStart[]> =>
  fc.oneof(
    fc.constant([]),
    fc.array(fc.record({ turns: fc.nat(8), microtasks: fc.nat(4) }), { minLength: count, maxLength: count }),
  );

/** Delays each call by the head start at the same index, and returns the code of each failure, or null for success. */
export const failuresOf = async (
  calls: readonly Rival[],
  headStarts: readonly HeadStart[],
): Promise<readonly (string | null)[]> => {
  const results = await Promise.all(calls.map((call, i) => startLate(call, headStarts[i] ?? {})));
  return results.map((result) => (result.isOk() ? null : result.error.code));
};

/** Delays each call by the head start at the same index, and returns which calls succeeded. */
export const startAll = async (
  calls: readonly Rival[],
  headStarts: readonly HeadStart[],
): Promise<readonly boolean[]> => (await failuresOf(calls, headStarts)).map((code) => code === null);
