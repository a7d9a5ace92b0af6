import { type LedgerEntry, type MailEvent, NO_LIMITS, parseEventId, parseLedgerKey } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { aliasNumber, NOW, recipientNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { usePostgres, useStore } from "./support/use-postgres.ts";

const DAY = 24 * 60 * 60 * 1_000;

const postgres = usePostgres();

const event = (n: number): MailEvent => ({
  id: valueOf(parseEventId(`event-${n}`)),
  outcome: "sent",
  at: NOW,
});

test("recognizes a duplicate event for 35 days, then deletes old events faster than new ones are added", async () => {
  let now = NOW;
  const url = await postgres().newDatabase();
  const store = await useStore(url, { clock: { now: () => now } });
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const report = async (n: number) => valueOf(await store.aliases.recordOutcome(alias, event(n)));
  const events = async () => (await postgres().sql("SELECT count(*) FROM events", [], url))[0]?.["count"];

  for (let n = 0; n < 20; n += 1) expect(await report(n)).toBe("recorded");
  now += 35 * DAY;
  expect(await report(100)).toBe("recorded");
  expect(await events()).toBe("21");
  for (let n = 0; n < 20; n += 1) expect(await report(n)).toBe("duplicate");

  now += 1;
  await Promise.all([101, 102, 103, 104, 105, 106, 107].map(report));
  expect(await events()).toBe("8");
  const found = valueOf(await store.aliases.findWithRecipients(alias.account, alias.id, []));
  expect(found.alias?.tallies.sent.count).toBe(28);
});

const entry = (number: number, expiresAt: number | null): LedgerEntry => ({
  key: valueOf(parseLedgerKey(`ledger-key-${String(number).padStart(6, "0")}`)),
  chargedAt: [NOW - 1],
  suppressedAt: expiresAt === null ? NOW : null,
  expiresAt,
  version: 1,
});

test("saving removes entries that have expired, never those that it saves or that never expire", async () => {
  let now = NOW - 1;
  const url = await postgres().newDatabase();
  const { mailLedger } = await useStore(url, { clock: { now: () => now } });
  const expired = Array.from({ length: 20 }, (_, n) => entry(n, NOW));
  for (const one of [...expired, entry(50, null), entry(51, NOW + 1)]) valueOf(await mailLedger.save([one]));

  now = NOW;
  const renewed = { ...entry(0, NOW + 1), version: 2 };
  valueOf(await mailLedger.save([renewed]));
  expect(valueOf(await mailLedger.find([renewed.key]))).toEqual([renewed]);
  await Promise.all(
    Array.from({ length: 10 }, async (_, n) => valueOf(await mailLedger.save([entry(100 + n, NOW + 1)]))),
  );
  const { items } = valueOf(await mailLedger.list({ limit: 100, after: null }));
  expect(items.filter(({ expiresAt }) => expiresAt === NOW)).toEqual([]);
  expect(items).toHaveLength(13);
});

test("what has expired is found with an index, not a scan", async () => {
  const url = await postgres().newDatabase();
  await postgres().sql(
    "INSERT INTO events SELECT 'a', 'b', n::text, n FROM generate_series(1, 2000) AS n",
    [],
    url,
  );
  await postgres().sql(
    "INSERT INTO mail_ledger SELECT 'key-' || n, '{}', NULL, n, 1 FROM generate_series(1, 2000) AS n",
    [],
    url,
  );
  await postgres().sql("ANALYZE", [], url);
  for (const [text, index] of [
    [
      "SELECT ctid FROM events WHERE reported_at < 5 ORDER BY reported_at LIMIT 3 FOR UPDATE SKIP LOCKED",
      "events_by_age",
    ],
    [
      "SELECT ctid FROM mail_ledger WHERE expires_at <= 5 ORDER BY expires_at LIMIT 3 FOR UPDATE SKIP LOCKED",
      "mail_ledger_by_expiry",
    ],
  ] as const) {
    const plan = (await postgres().sql(`EXPLAIN ${text}`, [], url))
      .map((row) => row["QUERY PLAN"])
      .join("\n");
    expect(plan).toContain(index);
    expect(plan).not.toContain("Sort");
  }
});
