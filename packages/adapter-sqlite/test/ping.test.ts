import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { backupSqlite } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, recipientNumber } from "./support/samples.ts";
import { stopTime } from "./support/stopped-time.ts";

const UNAVAILABLE = { error: { code: "unavailable" } };

/** Overwrites the file from `position` on, without truncating it. */
const overwrite = (path: string, bytes: Buffer, position: number): void => {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
};

test("a ping writes a page to the log, and changes nothing that another program can see", async () => {
  const path = newPath();
  const store = openStore(path);
  valueOf(await store.recipients.create(recipientNumber(0), NO_LIMITS));
  using tool = new DatabaseSync(path, { readOnly: true });
  const content = () => [
    ...["user_version", "application_id", "schema_version", "page_count"].map((name) =>
      tool.prepare(`PRAGMA ${name}`).get(),
    ),
    tool.prepare("SELECT * FROM recipients").all(),
  ];
  const before = content();
  const logged = statSync(`${path}-wal`).size;
  valueOf(await store.ping());
  expect(statSync(`${path}-wal`).size - logged).toBe(4096 + 24);
  expect(content()).toEqual(before);
  expect(brokenRules(path)).toEqual([]);
});

test("pings do not let the log grow without bound", async () => {
  const path = newPath();
  const store = openStore(path);
  for (let n = 0; n < 2500; n += 1) valueOf(await store.ping());
  expect(statSync(`${path}-wal`).size).toBeLessThan(1_100 * 4_200);
});

test("while another program holds the write lock, a ping is unavailable; then it is ok again", async () => {
  const path = newPath();
  const store = openStore(path);
  const tool = new DatabaseSync(path);
  onTestFinished(() => tool.close());
  tool.exec("BEGIN IMMEDIATE");
  const pass = stopTime();
  const pinged = store.ping();
  await pass(2_000);
  expect(await pinged).toMatchObject(UNAVAILABLE);
  tool.exec("ROLLBACK");
  valueOf(await store.ping());
});

test("a ping is unavailable while the file is not in its place, and ok once it is back", async () => {
  const path = newPath();
  const store = openStore(path);
  renameSync(path, `${path}.moved`);
  expect(await store.ping()).toMatchObject(UNAVAILABLE);
  valueOf(await backupSqlite({ path: `${path}.moved`, to: path }));
  expect(await store.ping()).toMatchObject(UNAVAILABLE);
  renameSync(`${path}.moved`, path);
  valueOf(await store.ping());
});

test("when a call finds the file damaged, pings are unavailable until it has been intact for 10 seconds", async () => {
  const path = newPath();
  const first = openStore(path);
  for (let n = 0; n < 50; n += 1) valueOf(await first.recipients.create(recipientNumber(n), NO_LIMITS));
  first.close();
  const store = openStore(path);
  // SQLite has read only the first page so far.
  const whole = readFileSync(path);
  overwrite(path, Buffer.alloc(whole.length - 4096, 0xff), 4096);
  const { id } = recipientNumber(0);
  const pass = stopTime();
  expect(await store.recipients.find(ACCOUNT, id)).toMatchObject(UNAVAILABLE);
  expect(await store.ping()).toMatchObject(UNAVAILABLE);
  overwrite(path, whole.subarray(4096), 4096);
  valueOf(await store.recipients.find(ACCOUNT, id));
  await pass(9_999);
  expect(await store.ping()).toMatchObject(UNAVAILABLE);
  await pass(1);
  valueOf(await store.ping());
  expect(brokenRules(path)).toEqual([]);
});
