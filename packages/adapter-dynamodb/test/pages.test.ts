import { createHash } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Alias, type AliasId, NO_LIMITS, parseAliasId, parseEmailAddress } from "@postern/core";
import { deleteRecipient, reassignRecipient } from "@postern/core/operations";
import type { AliasFilter, Page } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newAliasItem } from "../src/alias-item.ts";
import { searchItems } from "../src/search-items.ts";
import { Key } from "../src/table.ts";
import { putAll } from "./support/items.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** 100,000 take some minutes to write, and some more to read. */
const MANY = runsWhole(import.meta.url);
const ALIASES = MANY ? 100_000 : 4_400;
const TIMEOUT_MS = MANY ? 3_600_000 : 600_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const owner = recipient("owner");
const idAt = (n: number) => valueOf(parseAliasId(`alias-${String(n).padStart(6, "0")}`));
const template = alias("template", [owner]);
/** The oldest live alias mentions a needle, and every hundredth a haystack; the oldest half are deleted. */
const OLDEST = ALIASES / 2;
const aliasAt = (n: number): Alias => ({
  ...template,
  id: idAt(n),
  email: valueOf(parseEmailAddress(`${sha256(String(n)).slice(0, 10)}@alias.example`)),
  description: n === OLDEST ? "needle in a haystack" : n % 100 === 0 ? "haystack" : "hay",
  deletedAt: n < OLDEST ? NOW : null,
});

const { dynamo } = useDynamoDb();
let meter: Meter;
let store: OpenStore;

/** DynamoDB Local handles one write at a time. Meanwhile, this process prepares the next; more would only wait, and time out. */
const WRITERS = 2;
/** The items of this many aliases, seven each, make full requests of 25. */
const TOGETHER = 25;

const write = async (table: string) => {
  // Unlike the clients of the tests, it retries: one of 28,000 requests can wait too long for DynamoDB Local's lock.
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(dynamo().location));
  let next = 0;
  const writer = async () => {
    while (next < ALIASES) {
      const first = next;
      next += TOGETHER;
      const items = Array.from({ length: TOGETHER }, (_, i) => aliasAt(first + i)).flatMap((each) => [
        newAliasItem(each),
        ...Key.tallies(ACCOUNT, each.id).map((key) => ({ ...key, schema: 1 })),
        ...searchItems(each),
      ]);
      await putAll(client, table, items);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  client.destroy();
};

beforeAll(async () => {
  meter = await startMeter(dynamo().endpoint);
  const table = await dynamo().newTable();
  await write(table);
  store = openStore(dynamo().client(meter.endpoint), table);
});
afterAll(async () => {
  store.close();
  await meter.close();
});

/** Where reading pages starts. Enough are read in a row that cost and content of any other are the same. */
const STARTS = [null, idAt(OLDEST * 1.5), idAt(OLDEST + 350), idAt(OLDEST / 2)];
const IN_A_ROW = 10;

/** Some pages after `after`, with their cost in read units. They must have all matches up to where the last one ends, and nothing else. */
const readPages = async (
  limit: number,
  filter: AliasFilter,
  matches: (n: number) => boolean,
  after: AliasId | null,
): Promise<readonly { readonly ids: readonly string[]; readonly units: number }[]> => {
  const pages: { ids: string[]; units: number }[] = [];
  let last = after;
  do {
    const page: Page<Alias, AliasId> = valueOf(
      await store.aliases.list(ACCOUNT, { limit, after: last }, filter),
    );
    const units = meter.read().reduce((sum, each) => sum + each.units, 0);
    pages.push({ ids: page.items.map(({ id }) => id), units });
    last = page.next;
  } while (last !== null && pages.length < IN_A_ROW);
  const end = last;
  const expected = Array.from({ length: ALIASES }, (_, n) => n)
    .filter(matches)
    .map(idAt)
    .filter((id) => (after === null || id < after) && (end === null || id >= end))
    .reverse();
  expect(pages.flatMap(({ ids }) => ids)).toEqual(expected);
  return pages;
};

const isLive = (n: number) => n >= OLDEST;
const isDeleted = (n: number) => n < OLDEST;

test("every full page of a long list costs the same", async () => {
  const costs: number[] = [];
  for (const start of STARTS) {
    const pages = await readPages(100, { deleted: false }, isLive, start);
    costs.push(...pages.filter(({ ids }) => ids.length === 100).map(({ units }) => units));
  }
  // Of ten, ten, and three pages.
  expect(costs).toHaveLength(23);
  // 101 aliases of about 450 bytes, and 400 tally items of about 50; a unit is 4 KB.
  expect(Math.max(...costs)).toBeLessThan(19);
  expect(Math.max(...costs) - Math.min(...costs)).toBeLessThanOrEqual(0.5);
});

/** The first page, and what it costs. */
const readPage = async (filter: AliasFilter) => {
  const page = valueOf(await store.aliases.list(ACCOUNT, { limit: 50, after: null }, filter));
  const units = meter.read().reduce((sum, each) => sum + each.units, 0);
  return { ids: page.items.map(({ id }) => id), next: page.next, units };
};

test("a search for the oldest alias finds it on the first page, and costs little", async () => {
  const { email } = aliasAt(OLDEST);
  for (const q of ["needle", "need", "a needle", email, email.slice(0, 6)]) {
    const { ids, next, units } = await readPage({ deleted: false, q });
    expect({ ids, next }, q).toEqual({ ids: [idAt(OLDEST)], next: null });
    expect(units, q).toBeLessThanOrEqual(30);
  }
});

test("a search that matches nothing costs just as little", async () => {
  const { ids, next, units } = await readPage({ deleted: false, q: "nothing" });
  expect({ ids, next }).toEqual({ ids: [], next: null });
  expect(units).toBeLessThanOrEqual(30);
});

test("a search that matches very many aliases takes more pages, each of bounded cost", async () => {
  for (const start of STARTS) {
    const pages = await readPages(50, { deleted: true, q: "hay" }, isDeleted, start);
    expect(pages.length).toBeGreaterThan(1);
    // The live ones come first: about 400 of them a page, their tally items, and the search items, of which there are too many.
    expect(Math.max(...pages.map(({ units }) => units))).toBeLessThan(75 + 35);
  }
});

describe("one old alias among many costs little", () => {
  const [rare, target] = [recipient("rare"), recipient("target")];
  // Before all others.
  const oldest = { ...alias("older", [rare]), id: valueOf(parseAliasId("alias-")) };
  const unitsOf = async (call: () => Promise<unknown>) => {
    meter.read();
    const result = await call();
    return { result, units: meter.read().reduce((sum, { units }) => sum + units, 0) };
  };
  const ports = () => ({ ...store, clock: testPorts(NOW).clock, timeoutMs: 60_000 });

  beforeAll(async () => {
    for (const each of [rare, target]) valueOf(await store.recipients.create(each, NO_LIMITS));
    valueOf(await store.aliases.create(oldest, NO_LIMITS));
  });

  test("if deleting its recipient is refused", async () => {
    const command = { account: ACCOUNT, recipientId: rare.id };
    const { result, units } = await unitsOf(() => deleteRecipient(ports())(command));
    expect(result).toMatchObject({ error: { code: "recipient_attached", aliasIds: [oldest.id] } });
    expect(units).toBeLessThanOrEqual(15);
  });

  test("if it is listed for its recipient", async () => {
    const filter = { deleted: false, recipient: rare.id };
    const { result, units } = await unitsOf(() => readPage(filter));
    expect(result).toMatchObject({ ids: [oldest.id], next: null });
    expect(units).toBeLessThanOrEqual(20);
  });

  test("if it is reassigned", async () => {
    const command = { account: ACCOUNT, recipientId: rare.id, to: target.id };
    const { result, units } = await unitsOf(() => reassignRecipient(ports())(command));
    expect(result).toMatchObject({ value: { reassigned: [oldest.id], remaining: 0, next: null } });
    // What transactions write is not counted: DynamoDB Local always says 2.
    expect(units).toBeLessThanOrEqual(50);
  });
});

test("finds deleted aliases after many live ones", async () => {
  for (const start of STARTS) await readPages(100, { deleted: true }, isDeleted, start);
});
