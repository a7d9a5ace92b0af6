import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { failureOf, valueOf } from "@postern/core/testing";
import type { LoggedRevision } from "@postern/mail";
import { CAN_MOUNT } from "@postern/test-support/can-mount";
import { runsWhole } from "@postern/test-support/runs-whole";
import {
  expectAcknowledged,
  type Line,
  linesOf,
  startWriter as startProcess,
} from "@postern/test-support/spool-lines";
import { keepOne, NOW } from "@postern/test-support/spool-mail";
import { expect, test } from "vitest";
import { flush } from "../src/file/files.ts";
import { commitAndDie } from "./support/commit-and-die.ts";
import { newDisk } from "./support/disk.ts";
import { newPath } from "./support/open-spools.ts";

const WRITER = join(import.meta.dirname, "support/spool-writer.ts");
const ROUNDS = runsWhole(import.meta.url) ? 50 : 2;
const LIMIT = 2 ** 30;

const startWriter = (path: string, writers: number, { shell, failures = [] }: WriterOptions = {}) =>
  startProcess(WRITER, [path, String(writers), ...failures], shell);

type WriterOptions = { readonly shell?: string; readonly failures?: readonly string[] };

/** `expectAcknowledged`, and what is in the files. */
const expectStored = async (path: string, lines: readonly Line[]): Promise<number> => {
  const spool = valueOf(await sqliteSpool({ path, limit: LIMIT }));
  const acknowledged = await expectAcknowledged(spool, lines);
  await spool.close();
  expectSound(path);
  expectLogged(path, lines);
  return acknowledged;
};

const keyOf = ({ id, account, alias, revision }: LoggedRevision): string =>
  JSON.stringify([id, account, alias, revision]);

/** Throws unless what was logged, and nothing else, counts as logged. */
const expectLogged = (path: string, lines: readonly Line[]) => {
  using db = new DatabaseSync(join(path, "spool.db"));
  const rows = "SELECT message AS id, account, alias, revision FROM log WHERE place";
  const stored = (where: string) =>
    // Sound because these are the columns.
    db
      .prepare(`${rows} ${where}`)
      .all()
      .map((row) => keyOf(row as unknown as LoggedRevision));
  const logging = new Set(lines.flatMap(({ logging }) => logging ?? []).map(keyOf));
  expect(stored("IS NULL").filter((key) => !logging.has(key))).toEqual([]);
  const unlogged = new Set(stored("IS NOT NULL"));
  const logged = lines.flatMap(({ logged }) => logged ?? []).map(keyOf);
  expect(logged.filter((key) => unlogged.has(key))).toEqual([]);
  const columns = "message, account, alias";
  const missing = `SELECT ${columns} FROM copies WHERE alias <> '' EXCEPT SELECT ${columns} FROM log`;
  expect(db.prepare(missing).all()).toEqual([]);
};

/** Throws unless every body has its file, every file its body, and the total is right. */
const expectSound = (path: string) => {
  using db = new DatabaseSync(join(path, "spool.db"));
  expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(db.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const files = db.prepare("SELECT file FROM bodies WHERE file IS NOT NULL ORDER BY file").all();
  expect(readdirSync(join(path, "bodies")).sort()).toEqual(files.map(({ file }) => file));
  expect(db.prepare("SELECT total(octets) AS octets FROM bodies").get()).toEqual(
    db.prepare("SELECT octets FROM total").get(),
  );
  const waiting = "SELECT message FROM copies GROUP BY message HAVING sum(state = 'queued') > 0";
  expect(db.prepare(`${waiting} EXCEPT SELECT message FROM bodies`).all()).toEqual([]);
};

test.each([1, 50])(
  `after each of ${ROUNDS} kills of %d concurrent writers, everything acknowledged is there, and nothing is half done`,
  { timeout: 300_000 + ROUNDS * 30_000 },
  async (writers) => {
    const path = newPath();
    let lines: readonly Line[] = [];
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = startWriter(path, writers);
      // Some are killed before anything was acknowledged, but not all: how long that takes depends on the machine.
      await (round % 2 === 0 ? writer.firstLine : writer.firstAcknowledged);
      await setTimeout(5 + Math.random() * 300);
      writer.kill();
      const { signal, output } = await writer.ended;
      expect(signal).toBe("SIGKILL");
      // Later rounds settle what earlier ones kept, so all lines count.
      lines = [...lines, ...linesOf(output)];
      const before = acknowledged;
      acknowledged = await expectStored(path, lines);
      expect(acknowledged).toBeGreaterThanOrEqual(before);
    }
    expect(acknowledged).toBeGreaterThan(0);
  },
);

test.skipIf(!CAN_MOUNT)(
  `after each of ${ROUNDS} power cuts of 50 concurrent writers, everything acknowledged is there, and nothing is half done`,
  { timeout: 300_000 + ROUNDS * 30_000 },
  async () => {
    const disk = newDisk();
    const path = join(disk.path, "spool");
    let lines: readonly Line[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = startWriter(path, 50);
      await writer.firstAcknowledged;
      await setTimeout(5 + Math.random() * 300);
      // First, so that it reports nothing that was flushed while the power failed: then flushes can succeed that have not.
      writer.kill();
      const { output } = await writer.ended;
      disk.cutPower();
      disk.start();
      lines = [...lines, ...linesOf(output)];
      expect(await expectStored(path, lines)).toBeGreaterThan(0);
    }
  },
);

test.skipIf(!CAN_MOUNT)(
  "files of bodies that a process that was killed has forgotten are deleted once that is on the disk",
  async () => {
    const disk = newDisk();
    const path = join(disk.path, "spool");
    const open = async () => valueOf(await sqliteSpool({ path, limit: LIMIT }));
    const before = await open();
    valueOf(await before.drop(await keepOne(before, { size: 400_000 }), NOW));
    await before.close();
    commitAndDie(join(path, "spool.db"), "DELETE FROM finished; DELETE FROM bodies");
    const after = await open();
    expect(readdirSync(join(path, "bodies"))).toEqual([]);
    // As the next large body does.
    flush(join(path, "bodies"));
    disk.cutPower();
    await after.close();
    disk.start();
    expectSound(path);
  },
);

test("a spool is refused while another process has it open, and opens as soon as that process is killed", async () => {
  const path = newPath();
  const writer = startWriter(path, 1);
  await writer.firstLine;
  const database = join(path, "spool.db");
  expect(failureOf(await sqliteSpool({ path, limit: LIMIT }))).toEqual({
    code: "in_use",
    message: `${database} is in use by another spool or program; only one spool can have it open`,
  });
  writer.kill();
  await writer.ended;
  await valueOf(await sqliteSpool({ path, limit: LIMIT })).close();
});

test.each([1, 30])(
  "when the disk is full, calls of %d concurrent writers fail, nothing is half done, and reading still works",
  async (writers) => {
    const path = newPath();
    // A limit on file size stands in for a full disk. The process ignores the signal and gets the error instead.
    const writer = startWriter(path, writers, {
      shell: `trap "" XFSZ; ulimit -f 700; exec "$@"`,
      failures: ["60"],
    });
    const { code, output } = await writer.ended;
    expect(code).toBe(0);
    const lines = linesOf(output);
    expect(lines.at(-1)).toMatchObject({ end: { reads: true } });
    expect(await expectStored(path, lines)).toBeGreaterThan(0);
  },
);
