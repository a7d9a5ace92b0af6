import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CausedError } from "../src/file/cause.ts";
import { flushedApart } from "../src/file/durability.ts";

/* Nobody is told of anything that is not on the disk, whatever comes in which order. */

const party = fc.constantFrom("", "a", "b");
const EIO = Object.assign(new Error("EIO"), { code: "EIO" });
const IOERR_FSYNC = Object.assign(new Error("disk I/O error"), { errcode: 1034 });

const events = fc.array(
  fc.oneof(
    fc.record({ write: party }),
    fc.record({ read: party }),
    { weight: 2, arbitrary: fc.record({ end: fc.constant(null) }) },
    fc.record({ end: fc.constant(EIO) }),
    fc.constantFrom("ensure", "a checkpoint fails"),
  ),
  { maxLength: 40 },
);

/** A disk whose flushes end when it is told so, and everything that was written. */
const newDisk = () => {
  let ended: ((error: Error | null) => void) | null = null;
  const written: string[] = [];
  let [covered, durable, failed] = [0, 0, false];
  const log = {
    flush: (then: (error: Error | null) => void) => {
      expect(ended, "one flush at a time").toBeNull();
      covered = written.length;
      ended = then;
    },
    shorten: () => {},
    close: () => {},
  };
  const truncateLog = () => {
    durable = written.length;
    failed = false;
    return true;
  };
  return {
    log,
    truncateLog,
    written,
    durable: () => durable,
    hasFailed: () => failed,
    isFlushing: () => ended !== null,
    failCheckpoint: (): never => {
      failed = true;
      throw IOERR_FSYNC;
    },
    end: (error: Error | null) => {
      const then = ended;
      ended = null;
      if (error !== null) failed = true;
      // Later flushes succeed, without what the one that failed should have written.
      if (!failed) durable = Math.max(durable, covered);
      then?.(error);
    },
  };
};

test("results wait for what they are about to be on the disk, and for nothing else; all are told, once", async () => {
  await fc.assert(
    fc.property(events, (all) => {
      const disk = newDisk();
      const { written, checkpoint, afterWrite, afterRead, ensure } = flushedApart(disk.log, disk.truncateLog);
      const told: number[] = [];
      let asked = 0;

      /** Told of the first `count` writes of these parties. */
      const waiting = (concerns: (party: string) => boolean) => {
        const n = asked;
        const count = disk.written.length;
        asked += 1;
        const isDurable = () =>
          disk.written.every((each, at) => at >= count || at < disk.durable() || !concerns(each));
        const wasDurable = isDurable();
        return {
          tell: (failure: CausedError | null) => {
            told.push(n);
            if (failure === null) expect(isDurable(), `told of ${count} writes`).toBe(true);
            else expect(disk.hasFailed()).toBe(true);
          },
          expectPrompt: () => {
            if (wasDurable) expect(told).toContain(n);
          },
        };
      };

      for (const event of all) {
        if (event === "ensure") ensure();
        else if (event === "a checkpoint fails") checkpoint(disk.failCheckpoint);
        else if ("end" in event) {
          if (disk.isFlushing()) disk.end(event.end);
        } else if ("read" in event) {
          const isOf = (each: string) => event.read === "" || each === "" || each === event.read;
          const { tell, expectPrompt } = waiting(isOf);
          afterRead(event.read, Number.POSITIVE_INFINITY, tell);
          expectPrompt();
        } else {
          // As in a transaction, which does not begin after a failed flush.
          ensure();
          written(event.write);
          disk.written.push(event.write);
          afterWrite(Number.POSITIVE_INFINITY, waiting(() => true).tell);
        }
      }
      while (disk.isFlushing()) disk.end(null);
      expect(told.toSorted((a, b) => a - b)).toEqual(Array.from({ length: asked }, (_, n) => n));
    }),
    { numRuns: 1_000 },
  );
});

test("a disk that does not respond holds up nobody beyond their deadline", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const disk = newDisk();
  const { written, afterWrite, afterRead } = flushedApart(disk.log, disk.truncateLog);
  const told: string[] = [];
  const tell = (name: string) => (failure: CausedError | null) =>
    void told.push(`${name}: ${failure?.message}`);
  written("a");
  afterWrite(performance.now() + 1_000, tell("soon"));
  afterWrite(performance.now() + 3_000, tell("later"));
  afterRead("a", performance.now() + 1_000, tell("read"));
  vi.advanceTimersByTime(900);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(told).toEqual(["soon", "read"].map((name) => `${name}: no response before the deadline`));
  disk.end(null);
  expect(told.at(-1)).toBe("later: undefined");
});

test.each(["a write", "a read"])(
  "after a failed flush, nothing is written until %s finds the whole log in the database",
  (recovering) => {
    const disk = newDisk();
    let [canTruncate, tries] = [false, 0];
    const { written, afterWrite, afterRead, ensure } = flushedApart(disk.log, () => {
      tries += 1;
      return canTruncate && disk.truncateLog();
    });
    const told: (string | null)[] = [];
    const tell = (failure: CausedError | null) => void told.push(failure?.message ?? null);
    ensure();
    written("a");
    afterWrite(Number.POSITIVE_INFINITY, tell);
    disk.end(EIO);
    afterRead("a", Number.POSITIVE_INFINITY, tell);
    afterRead("b", Number.POSITIVE_INFINITY, tell);
    expect(told).toEqual(["EIO", "EIO", null]);
    expect(tries).toBe(1);
    expect(ensure).toThrow("EIO");
    expect(tries).toBe(2);
    canTruncate = true;
    if (recovering === "a write") ensure();
    afterRead("a", Number.POSITIVE_INFINITY, tell);
    expect(told.at(-1)).toBeNull();
    ensure();
    expect(tries).toBe(3);
    expect(disk.isFlushing()).toBe(false);
  },
);

test("once closed, the log is neither flushed nor closed again, even if a transaction has failed", () => {
  const calls: string[] = [];
  const log = {
    flush: () => void calls.push("flush"),
    shorten: () => {},
    close: () => void calls.push("close"),
  };
  const { written, afterRead, close } = flushedApart(log, () => true);
  written("a");
  close();
  const tell = vi.fn();
  afterRead("a", Number.POSITIVE_INFINITY, tell);
  expect(tell.mock.calls).toEqual([[null]]);
  expect(calls).toEqual(["close"]);
});
