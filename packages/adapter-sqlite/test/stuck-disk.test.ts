import { execFileSync, spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { failureOf, valueOf } from "@postern/core/testing";
import { chunksOf, contentOf, readBody } from "@postern/test-support/spool-mail";
import { expect, onTestFinished, test, vi } from "vitest";
import { type BodyFiles, bodiesIn, bodyFiles, type NewBodyFile } from "../src/spool/body-files.ts";
import { type DiskCalls, diskCalls } from "../src/spool/disk-calls.ts";
import { receivedBodies } from "../src/spool/received-bodies.ts";
import { LIMIT, newPath } from "./support/open-spools.ts";
import { stopTime } from "./support/stopped-time.ts";

/* A disk that does not respond holds calls in the kernel. Sessions still get an answer, and nothing is left once it responds again. */

const TIMEOUT_MS = 200;
const NO_RESPONSE = { source: "disk", reason: "no response before the deadline" };
const LARGE = contentOf(1, 400_000);

const newSpoolDirectory = () => {
  const path = newPath();
  mkdirSync(bodiesIn(path), { recursive: true });
  return path;
};

const bodiesWith = (files: BodyFiles, timeoutMs = TIMEOUT_MS) =>
  receivedBodies({
    limit: LIMIT,
    timeoutMs,
    files,
    stored: () => 0,
    room: async () => ({ outside: LIMIT, all: LIMIT }),
    discard: async () => {},
    evict: async () => 0,
  });

/** Blocks of 64 KiB are written one by one, after the file is created. */
const WRITES = Math.ceil(LARGE.length / (64 * 1024));

test.each([
  ["create", 1],
  ["the first write", 2],
  ["the last write", 1 + WRITES],
  ["flush", 2 + WRITES],
])("if %s hangs, a body is refused at the deadline, and deleted once the disk responds", async (_, call) => {
  const path = newSpoolDirectory();
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  const { promise: hangs, resolve: hang } = Promise.withResolvers<void>();
  let calls = 0;
  const hanging: DiskCalls["inTurn"] = async (work) => {
    calls += 1;
    if (calls === call) hang();
    if (calls >= call) await response;
    return work();
  };
  const bodies = bodiesWith(bodyFiles(path, { inTurn: hanging, eventually: hanging }));
  // Otherwise a slow disk could reach the deadline before.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const receiving = bodies.receive(chunksOf(LARGE));
  await hangs;
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  expect(failureOf(await receiving)).toEqual({ code: "unavailable", cause: NO_RESPONSE });
  expect(bodies.used()).toBe(0);
  expect(calls).toBe(call);
  respond();
  // The last call deletes the file, after the one that hung.
  await expect.poll(() => calls).toBe(call + 1);
  await expect.poll(() => readdirSync(bodiesIn(path))).toEqual([]);
  expect(bodies.used()).toBe(0);
});

test("if creating the file of a body fails after the deadline, the body is only refused", async () => {
  const { promise, reject } = Promise.withResolvers<NewBodyFile>();
  const files = bodyFiles(newSpoolDirectory(), diskCalls(TIMEOUT_MS));
  const bodies = bodiesWith({ ...files, create: () => promise });
  expect(failureOf(await bodies.receive(chunksOf(LARGE)))).toMatchObject({ cause: NO_RESPONSE });
  // An unhandled rejection would fail this run.
  reject(new Error("EIO"));
  await setImmediate();
});

test("hanging calls leave threads for the rest of the process, and large bodies are refused at once", async () => {
  const path = newSpoolDirectory();
  const pipes = ["a", "b", "c", "d", "e", "f"].map((name) => join(bodiesIn(path), name));
  execFileSync("mkfifo", pipes);
  const files = bodyFiles(path, diskCalls(TIMEOUT_MS));
  // Longer than this test may take: whatever is not refused at once fails it.
  const bodies = bodiesWith(files, 600_000);
  const pass = stopTime();
  // Opening a pipe to read waits until somebody writes to it.
  const reading = pipes.map((pipe) => readBody({ size: 0, read: () => files.read(basename(pipe)) }));
  const end = () => {
    for (const pipe of pipes) closeSync(openSync(pipe, "r+"));
  };
  onTestFinished(end);

  await pass(TIMEOUT_MS);
  await Promise.all([stat(path), lookup("localhost")]);
  expect(failureOf(await bodies.receive(chunksOf(LARGE)))).toMatchObject({ cause: NO_RESPONSE });
  valueOf(await bodies.receive(chunksOf(contentOf(1, 10))));

  const ended = vi.fn();
  void Promise.allSettled(reading).then(ended);
  await expect
    .poll(() => {
      end();
      return ended.mock.calls;
    })
    .toHaveLength(1);
  expect(valueOf(await bodies.receive(chunksOf(LARGE))).size).toBe(LARGE.length);
});

test("no operation on the files of bodies blocks the thread of the sessions", () => {
  const program = join(import.meta.dirname, "support/bodies-without-blocking.ts");
  const { stdout, stderr } = spawnSync(process.execPath, ["--trace-sync-io", program], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "100000", stderr: "" });
});

test.skipIf(process.getuid?.() !== 0)(
  "files of bodies that root creates get the owner of their directory",
  async () => {
    const path = newSpoolDirectory();
    chownSync(bodiesIn(path), 65_534, 65_534);
    const { name, abandon } = await bodyFiles(path, diskCalls(TIMEOUT_MS)).create();
    onTestFinished(abandon);
    const { uid, gid, mode } = statSync(join(bodiesIn(path), name));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 65_534, gid: 65_534, mode: 0o600 });
  },
);
