import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { backupSqlite, sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber, replaced } from "./support/samples.ts";
import { nothingWritten, readLines, retiredAddresses } from "./support/written.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");

test("a backup made while another process writes keeps every rule and contains every write acknowledged before it", async () => {
  const path = newPath();
  const writer = spawn(process.execPath, [WRITER, path], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  writer.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(writer.stdout, "data");
  for (let n = 0; n < 10; n += 1) {
    await once(writer.stdout, "data");
    const written = nothingWritten();
    readLines(written, output);
    const to = `${path}.backup-${n}`;
    expect(await backupSqlite({ path, to })).toHaveProperty("value");
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path)).filter((name) => name.includes("partial"))).toEqual([]);
    expect(brokenRules(to)).toEqual([]);
    const copy = valueOf(sqliteStore({ path: to, clock: { now: () => 0 } }));
    const retired = await retiredAddresses(copy);
    expect(retired).toEqual(expect.arrayContaining([...written.erased]));
    for (const alias of written.aliases.values()) {
      const found = valueOf(await copy.aliases.findByEmail(alias.email));
      // The writer may have erased it after the lines that were read.
      if (found === null) expect(retired).toContain(alias.email);
      else expect(found.version).toBeGreaterThanOrEqual(alias.version);
    }
    copy.close();
  }
  writer.kill("SIGKILL");
  await once(writer, "close");
});

test("a large store is backed up as it was at the beginning, although it is written all the time", async () => {
  const path = newPath();
  openStore(path);
  using tool = new DatabaseSync(path, { timeout: 60_000 });
  // Several steps.
  tool.exec(`
    CREATE TABLE filler (id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, content BLOB);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
    INSERT INTO filler (content) SELECT randomblob(3000) FROM numbers`);
  const write = tool.prepare("UPDATE filler SET state = ? WHERE id IN (1, 5000, 10000)");
  let writes = 0;
  let isDone = false;
  const writing = async () => {
    while (!isDone) {
      writes += 1;
      write.run(writes);
      await setImmediate();
    }
  };
  const writer = writing();
  const before = writes;
  const to = `${path}.backup`;
  expect(await backupSqlite({ path, to })).toHaveProperty("value");
  isDone = true;
  await writer;
  expect(writes).toBeGreaterThan(before + 2);
  using copy = new DatabaseSync(to);
  expect(copy.prepare("SELECT DISTINCT state FROM filler WHERE id IN (1, 5000, 10000)").all()).toEqual([
    { state: before },
  ]);
});

test("a backup is restored by copying the file: the store is as it was at the time of the backup", async () => {
  const path = newPath();
  const store = openStore(path);
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  const alias = aliasNumber(0, [a]);
  for (const recipient of [a, b]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const to = join(dirname(path), "monday.db");
  expect(await backupSqlite({ path, to })).toHaveProperty("value");
  valueOf(await store.aliases.save(alias, replaced(alias, [b])));
  store.close();

  copyFileSync(to, path);
  const restored = openStore(path);
  const found = valueOf(await restored.aliases.findWithRecipients(ACCOUNT, alias.id, [a.id, b.id]));
  expect(found).toEqual({ alias, recipients: [{ ...a, attached: 1 }, b] });
  expect(brokenRules(path)).toEqual([]);
});

test("a backup never overwrites a file, such as the store itself", async () => {
  const path = newPath();
  openStore(path);
  const before = readFileSync(path);
  expect(await backupSqlite({ path, to: path })).toMatchObject({ error: { code: "exists" } });
  expect(readFileSync(path)).toEqual(before);
});

test("if several backups to one name run at the same time, one is made, and the others overwrite nothing", async () => {
  const path = newPath();
  const store = openStore(path);
  valueOf(await store.recipients.create(recipientNumber(0), NO_LIMITS));
  const to = `${path}.backup`;
  const results = await Promise.all(Array.from({ length: 8 }, () => backupSqlite({ path, to })));
  const [made, ...more] = results.filter((result) => result.isOk());
  expect(made).toBeDefined();
  expect(more).toEqual([]);
  for (const result of results) {
    if (result.isErr()) expect(result.error).toEqual({ code: "exists", message: `${to} already exists` });
  }
  expect(brokenRules(to)).toEqual([]);
  const restored = openStore(to);
  expect(valueOf(await restored.recipients.list(ACCOUNT, { limit: 2, after: null })).items).toHaveLength(1);
  expect(readdirSync(dirname(path)).filter((name) => name.includes("partial"))).toEqual([]);
});

test("rejects a file that is not a store, and creates no file", async () => {
  const path = newPath();
  const to = `${path}.backup`;
  const failure = async () => failureOf(await backupSqlite({ path, to }));
  expect(await failure()).toEqual({ code: "not_a_store", message: `${path} does not exist` });
  expect(existsSync(path)).toBe(false);
  for (const content of ["", "not a database of Postern's\n".repeat(90)]) {
    writeFileSync(path, content);
    expect(await failure()).toMatchObject({ code: "not_a_store" });
  }
  expect(existsSync(to)).toBe(false);
});

test("a backup that cannot be written fails and leaves nothing", async () => {
  const path = newPath();
  openStore(path);
  const files = () => readdirSync(dirname(path)).sort();
  const before = files();
  const to = join(path, "below.db");
  expect(await backupSqlite({ path, to })).toMatchObject({ error: { code: "cannot_back_up" } });
  expect(files()).toEqual(before);
});

test("files and links planted where a backup is made are neither followed nor overwritten", async () => {
  const path = newPath();
  openStore(path);
  const directory = dirname(path);
  const victim = join(directory, "victim");
  writeFileSync(victim, "");
  const to = join(directory, "backup.db");
  symlinkSync(victim, `${to}.partial`);
  expect(await backupSqlite({ path, to })).toHaveProperty("value");
  expect(readFileSync(victim, "utf8")).toBe("");

  const second = join(directory, "second.db");
  writeFileSync(`${second}.partial`, "planted");
  chmodSync(`${second}.partial`, 0o666);
  expect(await backupSqlite({ path, to: second })).toHaveProperty("value");
  expect((statSync(second).mode & 0o777).toString(8)).toBe("600");
  expect(readFileSync(`${second}.partial`, "utf8")).toBe("planted");

  // A broken link.
  const dangling = join(directory, "dangling.db");
  symlinkSync(join(directory, "elsewhere"), dangling);
  expect(failureOf(await backupSqlite({ path, to: dangling }))).toMatchObject({ code: "exists" });
  expect(existsSync(join(directory, "elsewhere"))).toBe(false);
});

test("a damaged file is not backed up", async () => {
  const path = newPath();
  const store = openStore(path);
  for (let n = 0; n < 200; n += 1) valueOf(await store.recipients.create(recipientNumber(n), NO_LIMITS));
  store.close();
  const intact = readFileSync(path);
  const { page_size: pageSize } = new DatabaseSync(path).prepare("PRAGMA page_size").get() ?? {};
  // The last page contains rows.
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(64, 0xff), 0, 64, intact.length - Number(pageSize));
  closeSync(file);
  const before = readdirSync(dirname(path));
  const to = `${path}.backup`;
  expect(failureOf(await backupSqlite({ path, to }))).toEqual({
    code: "damaged",
    message: expect.stringMatching(/^.*postern\.db is damaged \(.+\): it was not backed up$/),
  });
  expect(readdirSync(dirname(path))).toEqual(before);
});

test("a file with a row that references a missing one is not backed up", async () => {
  const path = newPath();
  openStore(path).close();
  using tool = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  tool.exec("INSERT INTO tallies VALUES ('account', 'nothing', 'sent', 1, 1)");
  const to = `${path}.backup`;
  expect(failureOf(await backupSqlite({ path, to }))).toEqual({
    code: "damaged",
    message: `${path} is damaged (a row of tallies references a missing row of aliases): it was not backed up`,
  });
  expect(existsSync(to)).toBe(false);
});
