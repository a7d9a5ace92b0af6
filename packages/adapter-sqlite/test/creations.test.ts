import { DatabaseSync } from "node:sqlite";
import type { SqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { CREATION_RETENTION, type Creation, parseCreation, parseLedgerKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const recipient = recipientNumber(0);

let path: string;
let store: SqliteStore;
beforeEach(async () => {
  path = newPath();
  store = openStore(path);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
});

const creationOf = (n: number, at: number): Creation => {
  const { account, id } = aliasNumber(n, [recipient]);
  const hashes = { key: `key-${n}`.padEnd(20, "k"), fingerprint: `print-${n}`.padEnd(20, "f") };
  return valueOf(parseCreation({ account, ...hashes, kind: "alias", id, at }));
};

const create = async (n: number, at: number): Promise<Creation> => {
  const creation = creationOf(n, at);
  valueOf(await store.aliases.create(aliasNumber(n, [recipient]), NO_LIMITS, creation));
  return creation;
};

const stored = () => {
  using db = new DatabaseSync(path, { readOnly: true });
  return db
    .prepare("SELECT at FROM creations ORDER BY at")
    .all()
    .map(({ at }) => Number(at));
};

test("creations that are 24 hours old are removed, faster than new ones are added", async () => {
  for (let n = 0; n < 10; n += 1) await create(n, NOW + n);
  const now = NOW + CREATION_RETENTION + 8;
  for (let n = 10; n < 13; n += 1) await create(n, now);
  expect(stored()).toEqual([NOW + 9, now, now, now]);
});

test("creations and old ones are found with an index", async () => {
  using db = new DatabaseSync(path, { readOnly: true });
  const planOf = (query: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => String(detail));
  expect(planOf("SELECT * FROM creations WHERE account = 'x' AND key = 'y'")).toEqual([
    expect.stringContaining("PRIMARY KEY (account=? AND key=?)"),
  ]);
  expect(planOf("SELECT account, key FROM creations WHERE at <= 1 ORDER BY at LIMIT 3")).toEqual([
    expect.stringContaining("creations_by_age"),
  ]);
});

test("a creation that does not parse is unavailable", async () => {
  const { account, key } = await create(0, NOW);
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE creations SET fingerprint = 'short', at = at + 86400000");
  }
  expect(failureOf(await store.creations.find(account, key))).toMatchObject({
    code: "unavailable",
    cause: { reason: expect.stringContaining("creations") },
  });
  expect(valueOf(await store.creations.find(account, valueOf(parseLedgerKey("o".repeat(16)))))).toBeNull();
});
