import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type LedgerEntry, type LedgerKey, type Page, parseLedgerKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { Key, KeyRange } from "../src/table.ts";
import { scan, setAttribute } from "./support/items.ts";
import { entry, NOW } from "./support/samples.ts";
import { useMeteredStore } from "./support/use-metered-store.ts";

const CONFLICT = { code: "conflict" };

const reported: string[] = [];
const { documents, metered, table, store } = useMeteredStore(reported);

beforeEach(() => {
  reported.length = 0;
});

const stored = async (key: LedgerKey) => {
  const { pk, sk } = Key.ledgerEntry(key);
  const found = await documents().send(
    new GetCommand({ TableName: table(), Key: { pk, sk }, ConsistentRead: true }),
  );
  return found.Item;
};

/** Every entry, page by page, and how many requests each page took. */
const listAll = async (limit: number) => {
  const entries: LedgerEntry[] = [];
  const requests: number[] = [];
  let after: LedgerKey | null = null;
  metered();
  do {
    const page: Page<LedgerEntry, LedgerKey> = valueOf(await store().mailLedger.list({ limit, after }));
    expect(page.items.length).toBeLessThanOrEqual(limit);
    requests.push(metered().length);
    entries.push(...page.items);
    after = page.next;
  } while (after !== null);
  return { entries, requests };
};

const sorted = (entries: readonly LedgerEntry[]) => entries.toSorted((a, b) => (a.key < b.key ? -1 : 1));

describe("an entry", () => {
  const inAnHour = Math.ceil(Date.now() / 1000) * 1000 + 60 * 60 * 1000;

  test.for<readonly [ms: number, seconds: number]>([
    [0, 0],
    [1, 1],
    [999, 1],
    [1_000, 1],
    [1_001, 2],
  ])(
    "that expires %i ms after a full second is deleted %i s after it, never earlier",
    async ([ms, seconds]) => {
      const expiring = { ...entry("expiring"), expiresAt: inAnHour + ms };
      valueOf(await store().mailLedger.save([expiring]));
      expect(await stored(expiring.key)).toMatchObject({ expires: inAnHour / 1000 + seconds });
      expect(valueOf(await store().mailLedger.find([expiring.key]))).toEqual([expiring]);
    },
  );

  test("of a suppressed mailbox is never deleted, even if it had an expiry before", async () => {
    const mailbox = entry("mailbox");
    valueOf(await store().mailLedger.save([mailbox]));
    const suppressed = { ...mailbox, suppressedAt: NOW, expiresAt: null, version: 2 };
    valueOf(await store().mailLedger.save([suppressed]));
    expect(await stored(mailbox.key)).not.toHaveProperty("expires");
    valueOf(await store().mailLedger.save([{ ...suppressed, expiresAt: 1, version: 3 }]));
    expect(await stored(mailbox.key)).not.toHaveProperty("expires");
    expect(valueOf(await store().mailLedger.find([mailbox.key, mailbox.key]))).toMatchObject([
      { suppressedAt: NOW },
    ]);
  });

  test("that DynamoDB has deleted can be created again, but not saved as a later version", async () => {
    const gone = entry("gone");
    expect(failureOf(await store().mailLedger.save([{ ...gone, version: 7 }]))).toEqual(CONFLICT);
    valueOf(await store().mailLedger.save([gone]));
    expect(failureOf(await store().mailLedger.save([gone]))).toEqual(CONFLICT);
  });

  test("that is corrupt, or at another key, is reported and unavailable", async () => {
    const [one, two] = [entry("one"), entry("two")];
    for (const [attribute, value] of [
      ["chargedAt", "yesterday"],
      ["schema", 2],
      ["key", two.key],
    ] as const) {
      reported.length = 0;
      const key = valueOf(parseLedgerKey(`${attribute}-0123456789abcdef`));
      valueOf(
        await store().mailLedger.save([
          { ...one, key },
          { ...two, key: valueOf(parseLedgerKey(`${key}-other`)) },
        ]),
      );
      const { pk, sk } = Key.ledgerEntry(key);
      await setAttribute(documents(), table(), { pk, sk }, attribute, value);
      expect(failureOf(await store().mailLedger.find([key]))).toEqual({
        code: "unavailable",
        cause: { source: "dynamodb", reason: "an item does not parse" },
      });
      expect(reported).toEqual([`${pk} ${sk}`]);
      expect(valueOf(await store().mailLedger.find([valueOf(parseLedgerKey(`${key}-other`))]))).toHaveLength(
        1,
      );
    }
    expect(failureOf(await store().mailLedger.list({ limit: 100, after: null }))).toEqual({
      code: "unavailable",
      cause: { source: "dynamodb", reason: "an item does not parse" },
    });
  });
});

test("several entries are saved all or nothing", async () => {
  const [one, two] = [entry("one"), entry("two")];
  valueOf(await store().mailLedger.save([one]));
  expect(failureOf(await store().mailLedger.save([one, two]))).toEqual(CONFLICT);
  expect(
    failureOf(
      await store().mailLedger.save([
        { ...one, version: 2 },
        { ...two, version: 2 },
      ]),
    ),
  ).toEqual(CONFLICT);
  expect(valueOf(await store().mailLedger.find([one.key, two.key]))).toEqual([one]);
  valueOf(await store().mailLedger.save([{ ...one, version: 2 }, two]));
  expect(sorted(valueOf(await store().mailLedger.find([one.key, two.key])))).toEqual([
    { ...one, version: 2 },
    two,
  ]);
});

describe("the list", () => {
  const many = Array.from({ length: 120 }, (_, n) => entry(`entry-${n}`));

  test("has each entry once, in pages of at most 16 requests", async () => {
    for (const each of many) valueOf(await store().mailLedger.save([each]));
    for (const limit of [1, 30, 100]) {
      const { entries, requests } = await listAll(limit);
      expect(sorted(entries)).toEqual(sorted(many));
      expect(Math.max(...requests)).toBeLessThanOrEqual(16);
    }
  });

  test("continues after an entry that has since been deleted", async () => {
    for (const each of many.slice(0, 20)) valueOf(await store().mailLedger.save([each]));
    const { entries } = await listAll(100);
    const after = entry("never-stored").key;
    const page = valueOf(await store().mailLedger.list({ limit: 100, after }));
    const partitions = KeyRange.ledger.map(({ pk }) => pk);
    const comesAfter = (key: LedgerKey) => {
      const [a, b] = [Key.ledgerEntry(after), Key.ledgerEntry(key)];
      return a.pk === b.pk ? b.sk < a.sk : partitions.indexOf(b.pk) > partitions.indexOf(a.pk);
    };
    expect(page.items).toEqual(entries.filter(({ key }) => comesAfter(key)));
    expect(page.items.length).toBeGreaterThan(0);
    expect(page.items.length).toBeLessThan(entries.length);
  });

  test("has each entry once, even if entries are so large that DynamoDB ends a response early", async () => {
    const [sample] = many;
    const together = many.filter(
      ({ key }) => sample && Key.ledgerEntry(key).pk === Key.ledgerEntry(sample.key).pk,
    );
    // Numbers with more digits take more space.
    const chargedAt = Array.from({ length: 36_000 }, () => NOW - 1);
    const large = together.slice(0, 5).map((each) => ({ ...each, chargedAt }));
    for (const each of large) valueOf(await store().mailLedger.save([each]));
    const { entries, requests } = await listAll(100);
    expect(sorted(entries)).toEqual(sorted(large));
    expect(requests.length).toBeGreaterThan(1);
  });

  test("is spread over all partitions, and belongs to no account", async () => {
    for (const each of many) valueOf(await store().mailLedger.save([each]));
    expect(new Set((await scan(documents(), table())).map(({ pk }) => pk)).size).toBe(16);
    expect(valueOf(await store().accounts({ limit: 100, after: null })).items).toEqual([]);
  });
});
