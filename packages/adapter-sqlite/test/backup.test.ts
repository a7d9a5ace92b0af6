import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backupSqlite, sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber, replaced } from "./support/samples.ts";
import { nothingWritten, readLines, retiredAddresses } from "./support/written.ts";

const WRITER = join(import.meta.dirname, "support/writer.ts");

test("a backup made while another process writes keeps every rule and all that was acknowledged before it", async () => {
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
    const copy = valueOf(sqliteStore({ path: to, clock: { now: () => 0 } }));
    const retired = await retiredAddresses(copy);
    expect(retired).toEqual(expect.arrayContaining([...written.erased]));
    for (const alias of written.aliases.values()) {
      const found = valueOf(await copy.aliases.findByEmail(alias.email));
      // After the lines that were read, the writer may have erased it.
      if (found === null) expect(retired).toContain(alias.email);
      else expect(found.version).toBeGreaterThanOrEqual(alias.version);
    }
    copy.close();
  }
  writer.kill("SIGKILL");
  await once(writer, "close");
});

test("restoring a backup means copying the file: the store is as it was at the time of the backup", async () => {
  const path = newPath();
  const store = openStore(path);
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  const alias = aliasNumber(0, [a]);
  for (const recipient of [a, b]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const to = join(dirname(path), "backups/monday.db");
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

test("rejects what is not a store, and creates no file", async () => {
  const path = newPath();
  const to = `${path}.backup`;
  const failure = async () => failureOf(await backupSqlite({ path, to }));
  expect(await failure()).toMatchObject({ code: "not_a_store" });
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
  const to = join(path, "below.db");
  expect(await backupSqlite({ path, to })).toMatchObject({ error: { code: "cannot_back_up" } });
});
