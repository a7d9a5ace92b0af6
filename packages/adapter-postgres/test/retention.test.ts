import {
  LOG_RETENTION,
  type MailEvent,
  NO_LIMITS,
  parseCopyId,
  parseEventId,
  parseMessageId,
  parseSpoolMark,
} from "@postern/core";
import {
  CREATION_RETENTION,
  HANDED_REPORT_RETENTION,
  type LedgerEntry,
  parseCreation,
  parseLedgerKey,
  RESEND_RETENTION,
} from "@postern/core/store";
import { testBody, testMessage, valueOf } from "@postern/core/testing";
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

/** A store with an alias. `now` is what its clock says. */
const storeWithAlias = async (now: () => number) => {
  const store = await useStore(await postgres().newDatabase(), { clock: { now } });
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  return { store, alias };
};

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

test("messages that are 30 days old are deleted, faster than new ones are added", async () => {
  let now = NOW;
  const { store, alias } = await storeWithAlias(() => now);
  const log = async (at: number) =>
    valueOf(await store.messageLog.save(testMessage(alias, { at }), NO_LIMITS));
  const listed = async () =>
    valueOf(await store.messageLog.list(alias, { limit: 100, after: null })).items.map(({ at }) => at);

  for (let n = 0; n < 20; n += 1) await log(NOW + n);
  now = NOW + LOG_RETENTION - 1;
  await log(now);
  expect(await listed()).toHaveLength(21);
  // All but the last two are too old.
  now = NOW + LOG_RETENTION + 17;
  for (let n = 0; n < 6; n += 1) await log(now + n);
  expect((await listed()).toReversed()).toEqual([
    NOW + 18,
    NOW + 19,
    NOW + LOG_RETENTION - 1,
    ...Array.from({ length: 6 }, (_, n) => now + n),
  ]);
  // Logging one that is already too old does no harm.
  await log(NOW);
  now += 1;
  await log(now + 9);
  expect(await listed()).not.toContain(NOW);
});

test("requests to send a message again are removed after 7 days, faster than new ones are added", async () => {
  let now = NOW;
  const { store, alias } = await storeWithAlias(() => now);
  const { spool } = testBody(0);
  const request = async (letter: string, at: number) => {
    const message = valueOf(parseMessageId(letter.repeat(26)));
    return valueOf(
      await store.resends.request({ spool, account: alias.account, alias: alias.id, message, at }),
    );
  };
  for (const [n, letter] of [..."abcdefghij"].entries()) await request(letter, NOW + n);
  now = NOW + RESEND_RETENTION + 8;
  for (const letter of "xyz") await request(letter, now);
  const left = valueOf(await store.resends.list(spool, 100));
  expect(left.map(({ at }) => at).toSorted()).toEqual([NOW + 9, now, now, now]);
  valueOf(await store.aliases.erase(alias));
  expect(valueOf(await store.resends.list(spool, 100))).toEqual([]);
});

test("reports for other servers are removed after 7 days, faster than new ones are added", async () => {
  let now = NOW;
  const { store } = await storeWithAlias(() => now);
  const spool = valueOf(parseSpoolMark("spoolone"));
  const handOver = async (letter: string, at: number) => {
    const copy = valueOf(parseCopyId(letter.repeat(26)));
    const said = { outcome: "delivered", onlyIfToAlias: false, reason: null } as const;
    return valueOf(await store.handedReports.handOver({ spool, copy, ...said, at }));
  };
  for (const [n, letter] of [..."abcdefghij"].entries()) await handOver(letter, NOW + n);
  now = NOW + HANDED_REPORT_RETENTION + 8;
  for (const letter of "xyz") await handOver(letter, now);
  const left = valueOf(await store.handedReports.list(spool, 100));
  expect(left.map(({ at }) => at).toSorted()).toEqual([NOW + 9, now, now, now]);
});

test("expired rows are found with an index, not a scan", async () => {
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
  await postgres().sql(
    "SET session_replication_role = replica; INSERT INTO logged_messages SELECT 'a', 'b', n, 'm', 1, '{}' FROM generate_series(1, 2000) AS n",
    [],
    url,
  );
  await postgres().sql(
    "SET session_replication_role = replica; INSERT INTO resends SELECT 'a', 'b', n::text, 'spool-' || n, n FROM generate_series(1, 2000) AS n",
    [],
    url,
  );
  await postgres().sql(
    "INSERT INTO handed_reports SELECT 'spool-' || n, n::text, 'delivered', false, NULL, n FROM generate_series(1, 2000) AS n",
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
    [
      "SELECT ctid FROM logged_messages WHERE at <= 5 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED",
      "logged_messages_by_age",
    ],
    ["SELECT ctid FROM resends WHERE at <= 5 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED", "resends_by_age"],
    ["SELECT * FROM resends WHERE spool = 'spool-7' LIMIT 10", "resends_of_a_spool"],
    [
      "SELECT ctid FROM handed_reports WHERE at <= 5 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED",
      "handed_reports_by_age",
    ],
    ["SELECT * FROM handed_reports WHERE spool = 'spool-7' LIMIT 10", "handed_reports_pkey"],
  ] as const) {
    const plan = (await postgres().sql(`EXPLAIN ${text}`, [], url))
      .map((row) => row["QUERY PLAN"])
      .join("\n");
    expect(plan).toContain(index);
    expect(plan).not.toContain("Sort");
  }
});

test("creations that are 24 hours old are removed, faster than new ones are added, also if a key is used again", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url);
  const recipient = recipientNumber(0);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const create = async (n: number, at: number, key = n) => {
    const alias = aliasNumber(n, [recipient]);
    const { account, id } = alias;
    const hashes = { key: `key-${key}`.padEnd(20, "k"), fingerprint: "f".repeat(16) };
    const creation = valueOf(parseCreation({ account, ...hashes, kind: "alias", id, at }));
    valueOf(await store.aliases.create(alias, NO_LIMITS, creation));
  };
  for (let n = 0; n < 10; n += 1) await create(n, NOW + n);
  const now = NOW + CREATION_RETENTION + 8;
  await create(10, now, 0);
  for (let n = 11; n < 13; n += 1) await create(n, now);
  const left = await postgres().sql("SELECT at FROM creations ORDER BY at", [], url);
  expect(left.map(({ at }) => Number(at))).toEqual([NOW + 9, now, now, now]);
});
