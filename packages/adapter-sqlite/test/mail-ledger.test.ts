import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { type LedgerEntry, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { newPath } from "./support/directory.ts";
import { NOW } from "./support/samples.ts";

const open = (path: string, now = NOW) => {
  const store = valueOf(sqliteStore({ path, clock: { now: () => now } }));
  onTestFinished(() => store.close());
  return store;
};

const entry = (number: number, expiresAt: number | null): LedgerEntry => ({
  key: valueOf(parseLedgerKey(`ledger-key-${String(number).padStart(6, "0")}`)),
  chargedAt: [NOW - 1],
  suppressedAt: expiresAt === null ? NOW : null,
  expiresAt,
  version: 1,
});

test("saving removes entries that have expired; those that never expire stay", async () => {
  const path = newPath();
  const before = open(path, NOW - 1);
  const expired = Array.from({ length: 20 }, (_, n) => entry(n, NOW));
  for (const one of [...expired, entry(50, null), entry(51, NOW + 1)]) {
    valueOf(await before.mailLedger.save([one]));
  }
  before.close();

  const { mailLedger } = open(path);
  for (let n = 100; n < 110; n += 1) valueOf(await mailLedger.save([entry(n, NOW + 1)]));
  const { items } = valueOf(await mailLedger.list({ limit: 100, after: null }));
  expect(items.filter(({ expiresAt }) => expiresAt === NOW)).toEqual([]);
  expect(items).toHaveLength(12);
});

test("expired entries are found with an index, not a scan", () => {
  const path = newPath();
  open(path).close();
  using db = new DatabaseSync(path);
  const plan = db
    .prepare(
      "EXPLAIN QUERY PLAN SELECT key FROM mail_ledger WHERE expires_at <= 1 ORDER BY expires_at LIMIT 3",
    )
    .all();
  expect(JSON.stringify(plan)).toContain("mail_ledger_by_expiry");
});
