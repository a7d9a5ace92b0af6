import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "@postern/adapter-sqlite";
import type { Store } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { CAN_MOUNT } from "@postern/test-support/can-mount";
import { runsWhole } from "@postern/test-support/runs-whole";
import { expect, test } from "vitest";
import { commitAndDie } from "./support/commit-and-die.ts";
import { newPath, openStore } from "./support/directory.ts";
import { newDisk } from "./support/disk.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, NOW } from "./support/samples.ts";
import { expectStored, nothingWritten, readLines } from "./support/written.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");
const ROUNDS = runsWhole(import.meta.url) ? 50 : 3;

const startWriter = (path: string, { writers = 1, shell = 'exec "$@"' } = {}) => {
  const writer = spawn("sh", ["-c", shell, "sh", process.execPath, WRITER, path, String(writers)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output: string[] = [];
  writer.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  return {
    firstLine: once(writer.stdout, "data"),
    kill: () => writer.kill("SIGKILL"),
    /** How it ended, and everything it printed. */
    ended: once(writer, "close").then(([code, signal]) => ({ code, signal, output: output.join("") })),
  };
};

test.each([1, 200])(
  `after each of ${ROUNDS} kills of %d concurrent writers, everything acknowledged is stored and every rule holds`,
  {
    timeout: 300_000 + ROUNDS * 6_000,
  },
  async (writers) => {
    const path = newPath();
    const written = nothingWritten();
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = startWriter(path, { writers });
      await writer.firstLine;
      await setTimeout(5 + Math.random() * 250);
      writer.kill();
      const { signal, output } = await writer.ended;
      expect(signal).toBe("SIGKILL");
      expect(readLines(written, output)).toBeGreaterThan(0);

      const store = valueOf(sqliteStore({ path, clock: { now: Date.now } }));
      expect(await expectStored(store, written)).toBeLessThanOrEqual(writers);
      store.close();
      expect(brokenRules(path)).toEqual([]);
    }
  },
);

test.skipIf(!CAN_MOUNT)(
  `after each of ${ROUNDS} power cuts of 200 concurrent writers, everything acknowledged is stored and every rule holds`,
  { timeout: 300_000 + ROUNDS * 6_000 },
  async () => {
    const disk = newDisk();
    const path = join(disk.path, "postern.db");
    const written = nothingWritten();
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = startWriter(path, { writers: 200 });
      await writer.firstLine;
      await setTimeout(5 + Math.random() * 250);
      // First, so that it reports nothing that was flushed while the power failed: then flushes can succeed that have not.
      writer.kill();
      const { output } = await writer.ended;
      disk.cutPower();
      expect(readLines(written, output)).toBeGreaterThan(0);
      disk.start();

      const store = valueOf(sqliteStore({ path, clock: { now: Date.now } }));
      expect(await expectStored(store, written)).toBeLessThanOrEqual(200);
      store.close();
      expect(brokenRules(path)).toEqual([]);
    }
  },
);

test.skipIf(!CAN_MOUNT)(
  "what a process that was killed has committed is on the disk before the next one shows it",
  async () => {
    const disk = newDisk();
    const path = join(disk.path, "postern.db");
    const store = () => valueOf(sqliteStore({ path, clock: { now: Date.now } }));
    const since = async (opened: Store) => valueOf(await opened.suspensions.find(ACCOUNT));
    store().close();
    const reader = new DatabaseSync(path);
    // So that the log cannot be emptied, which would flush it.
    reader.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    commitAndDie(path, `INSERT INTO suspensions VALUES ('${ACCOUNT}', ${NOW})`);
    const before = store();
    expect(await since(before)).toBe(NOW);
    disk.cutPower();
    before.close();
    reader.close();
    disk.start();
    const after = store();
    expect(await since(after)).toBe(NOW);
    after.close();
  },
);

test("a file is refused while another process has it open, and can be opened as soon as that process is killed", async () => {
  const path = newPath();
  const writer = startWriter(path);
  await writer.firstLine;
  const refused = sqliteStore({ path, clock: { now: Date.now } });
  expect(failureOf(refused)).toEqual({
    code: "in_use",
    message: `${path} is in use by another store or program; only one store can have it open`,
  });
  writer.kill();
  await writer.ended;
  expect(await openStore(path).ping()).toHaveProperty("value");
});

test.each([1, 30])(
  "when the disk is full, writes of %d concurrent writers and pings are unavailable, nothing is half-written, and reads still succeed",
  async (writers) => {
    const path = newPath();
    // A limit on file size stands in for a full disk. The process ignores the signal and gets the error instead.
    const writer = startWriter(path, { writers, shell: `trap "" XFSZ; ulimit -f 800; exec "$@"` });
    const { code, output } = await writer.ended;
    expect(code).toBe(0);
    const written = nothingWritten();
    expect(readLines(written, output)).toBeGreaterThan(0);
    const end = JSON.parse(output.trim().split("\n").at(-1) ?? "");
    expect(end).toEqual({ read: written.aliases.size, pingFails: true });

    const store = openStore(path);
    expect(await expectStored(store, written)).toBe(0);
    expect(brokenRules(path)).toEqual([]);
  },
);
