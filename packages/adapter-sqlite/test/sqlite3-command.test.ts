import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import type { SqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { migrateTo, newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import {
  ACCOUNT,
  aliasNumber,
  announcementTo,
  apiKeyNumber,
  NOW,
  recipientNumber,
  webhookNumber,
} from "./support/samples.ts";
import { retiredAddresses } from "./support/written.ts";

/*
 * Operators look into the file with the `sqlite3` command of their distribution, which is older than Node's SQLite. In
 * 3.40 (Debian 12), json_valid(NULL) is 0 instead of NULL.
 */

const sqlite3 = (...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync("sqlite3", args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
};

/** Written by the store of commit 11a662b, the last with schema version 1, through its ports. */
const version1 = (path: string): void =>
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, "support/version-1.db.gz"))));

const version2 = (path: string): void => {
  version1(path);
  using db = new DatabaseSync(path);
  migrateTo(2, db);
  db.exec("INSERT INTO retired_addresses VALUES ('erased@alias.example')");
};

const latest = async (path: string): Promise<void> => {
  const store = openStore(path, () => NOW);
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  for (const recipient of [a, b]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const [live, deleted, erased] = [aliasNumber(0, [b, a]), aliasNumber(1, [a]), aliasNumber(2, [a])];
  for (const alias of [live, { ...deleted, deletedAt: NOW }, erased]) {
    valueOf(await store.aliases.create(alias, NO_LIMITS));
  }
  valueOf(await store.aliases.erase(erased));
  const event = { id: valueOf(parseEventId("event-2")), outcome: "sent", at: NOW } as const;
  valueOf(await store.aliases.recordOutcome(live, event));
  const webhook = webhookNumber(0);
  valueOf(await store.webhooks.create(webhook));
  valueOf(await store.outbox.announce([announcementTo(webhook)]));
  valueOf(await store.apiKeys.create(apiKeyNumber(0)));
  store.close();
};

/** Everything that the ports list, and whether the event counted in each of the files above is remembered. */
const everything = async (store: SqliteStore) => {
  const page = { limit: 100, after: null };
  const contents = [];
  for (const account of [ACCOUNT, valueOf(parseAccountId("other"))]) {
    contents.push(
      valueOf(await store.recipients.list(account, page)).items,
      valueOf(await store.aliases.list(account, page, { deleted: false })).items,
      valueOf(await store.aliases.list(account, page, { deleted: true })).items,
      valueOf(await store.webhooks.list(account)),
      valueOf(await store.apiKeys.list(account)),
      valueOf(await store.outbox.list({ account, id: webhookNumber(0).id }, page)).items,
    );
  }
  const event = { id: valueOf(parseEventId("event-2")), outcome: "sent", at: NOW } as const;
  const recorded = valueOf(await store.aliases.recordOutcome(aliasNumber(0, [recipientNumber(0)]), event));
  return { contents, retired: await retiredAddresses(store), recorded };
};

test.for([
  ["of the latest version", latest],
  ["migrated from version 2", version2],
  ["migrated from version 1", version1],
] as const)(
  "the sqlite3 command finds a file %s intact, and its dump restores everything",
  async ([, write]) => {
    const path = newPath();
    await write(path);
    const store = openStore(path, () => NOW);
    const before = await everything(store);
    expect(before.contents[1]).toHaveLength(1);
    expect(before.contents[2]).toHaveLength(1);
    expect(before.recorded).toBe("duplicate");

    // Both while the store is open and after it was closed.
    expect(sqlite3(path, "PRAGMA integrity_check")).toBe("ok\n");
    store.close();
    expect(sqlite3(path, "PRAGMA integrity_check", "PRAGMA foreign_key_check")).toBe("ok\n");

    const commands = block("docs/sqlite.md", "The `sqlite3` command");
    const dumped = spawnSync("sh", ["-euc", commands], { cwd: dirname(path), encoding: "utf8" });
    expect(dumped).toMatchObject({ status: 0, stderr: "" });
    const restored = join(dirname(path), "restored.db");
    expect(await everything(openStore(restored, () => NOW))).toEqual(before);
    expect(brokenRules(restored)).toEqual([]);
  },
);
