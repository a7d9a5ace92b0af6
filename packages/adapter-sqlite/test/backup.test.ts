import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backupSqlite, sqliteStore } from "@postern/adapter-sqlite";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber, replaced } from "./support/samples.ts";
import { nothingWritten, readLines } from "./support/written.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");

test("a backup made while another process writes is a store that keeps every rule and all acknowledged before", async () => {
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
    expect(existsSync(`${to}.partial`)).toBe(false);
    expect(brokenRules(to)).toEqual([]);
    const copy = sqliteStore({ path: to, clock: { now: () => 0 } })._unsafeUnwrap();
    for (const alias of written.aliases.values()) {
      const found = await copy.aliases.findWithRecipients(ACCOUNT, alias.id, []);
      expect(found._unsafeUnwrap().alias?.version).toBeGreaterThanOrEqual(alias.version);
    }
    copy.close();
  }
  writer.kill("SIGKILL");
  await once(writer, "close");
});

test("restoring is copying the file: the store is as it was at the backup", async () => {
  const path = newPath();
  const store = openStore(path);
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  const alias = aliasNumber(0, [a]);
  for (const recipient of [a, b]) (await store.recipients.create(recipient))._unsafeUnwrap();
  (await store.aliases.create(alias))._unsafeUnwrap();
  const to = join(dirname(path), "backups/monday.db");
  expect(await backupSqlite({ path, to })).toHaveProperty("value");
  (await store.aliases.save(alias, replaced(alias, [b])))._unsafeUnwrap();
  store.close();

  copyFileSync(to, path);
  const restored = openStore(path);
  const found = (await restored.aliases.findWithRecipients(ACCOUNT, alias.id, [a.id, b.id]))._unsafeUnwrap();
  expect(found).toEqual({ alias, recipients: [{ ...a, attached: 1 }, b] });
  expect(brokenRules(path)).toEqual([]);
});

test("a backup overwrites nothing, the store itself least of all", async () => {
  const path = newPath();
  openStore(path);
  const before = readFileSync(path);
  expect(await backupSqlite({ path, to: path })).toMatchObject({ error: { code: "exists" } });
  expect(readFileSync(path)).toEqual(before);
});

test("there is no backup of what is no store, and none is made of nothing", async () => {
  const path = newPath();
  const to = `${path}.backup`;
  const failed = async () => (await backupSqlite({ path, to }))._unsafeUnwrapErr();
  expect(await failed()).toMatchObject({ code: "not_a_store" });
  expect(existsSync(path)).toBe(false);
  for (const content of ["", "neither a database nor of Postern's making\n".repeat(90)]) {
    writeFileSync(path, content);
    expect(await failed()).toMatchObject({ code: "not_a_store" });
  }
  expect(existsSync(to)).toBe(false);
});

test("a backup that cannot be written is an error and leaves nothing", async () => {
  const path = newPath();
  openStore(path);
  const to = join(path, "below.db");
  expect(await backupSqlite({ path, to })).toMatchObject({ error: { code: "cannot_back_up" } });
});
