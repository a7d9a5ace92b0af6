import { createHash } from "node:crypto";
import {
  type Alias,
  type AliasFilter,
  type AliasId,
  deleteRecipient,
  NO_LIMITS,
  type Page,
  parseAliasId,
  parseEmailAddress,
  reassignRecipient,
} from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newAliasItem } from "../src/alias-item.ts";
import { searchItems } from "../src/search-items.ts";
import { Key } from "../src/table.ts";
import { putAll } from "./support/items.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** 100,000 take some minutes to write. */
const ALIASES = process.env["POSTERN_MANY_ALIASES"] === undefined ? 10_000 : 100_000;

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

const { dynamo, documents } = useDynamoDb();
let meter: Meter;
let store: OpenStore;

const write = async (table: string) => {
  for (let n = 0; n < ALIASES; n += 20) {
    const items = Array.from({ length: 20 }, (_, i) => aliasAt(n + i)).flatMap((each) => [
      newAliasItem(each),
      ...Key.tallies(ACCOUNT, each.id).map((key) => ({ ...key, schema: 1 })),
      ...searchItems(each),
    ]);
    const batches = Array.from({ length: 8 }, (_, part) => items.slice(part * 25, (part + 1) * 25));
    await Promise.all(batches.map((batch) => putAll(documents(), table, batch)));
  }
};

beforeAll(async () => {
  meter = await startMeter(dynamo().endpoint);
  const table = await dynamo().newTable();
  await write(table);
  store = openStore(dynamo().client(meter.endpoint), table);
}, 1_200_000);
afterAll(async () => {
  store.close();
  await meter.close();
});

type PagesRead = readonly { readonly ids: readonly string[]; readonly units: number }[];

/** Every page, with its cost in read units. */
const readPages = async (limit: number, filter: AliasFilter): Promise<PagesRead> => {
  const pages: { ids: string[]; units: number }[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = valueOf(await store.aliases.list(ACCOUNT, { limit, after }, filter));
    const units = meter.read().reduce((sum, each) => sum + each.units, 0);
    pages.push({ ids: page.items.map(({ id }) => id), units });
    after = page.next;
  } while (after !== null);
  return pages;
};

const newestFirst = (matches: (n: number) => boolean) =>
  Array.from({ length: ALIASES }, (_, n) => n)
    .filter(matches)
    .map(idAt)
    .reverse();

test("every full page of a long list costs the same", async () => {
  const pages = await readPages(100, { deleted: false });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n >= OLDEST));
  const full = pages.filter(({ ids }) => ids.length === 100);
  expect(full).toHaveLength(ALIASES / 200);
  const costs = full.map(({ units }) => units);
  // 101 aliases of about 450 bytes, and 400 tally items of about 50; a unit is 4 KB. The last page also reads through the
  // deleted aliases.
  expect(Math.max(...costs.slice(0, -1))).toBeLessThan(19);
  expect(Math.max(...costs.slice(0, -1)) - Math.min(...costs)).toBeLessThanOrEqual(0.5);
}, 600_000);

/** What one page costs. */
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

test("a search for what no alias has costs as little", async () => {
  const { ids, next, units } = await readPage({ deleted: false, q: "nothing" });
  expect({ ids, next }).toEqual({ ids: [], next: null });
  expect(units).toBeLessThanOrEqual(30);
});

test("a search for what very many have takes more pages, each of bounded cost", async () => {
  const pages = await readPages(50, { deleted: true, q: "hay" });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n < OLDEST));
  // The live ones come first: about 400 of them a page, their tally items, and the search items that are too many.
  expect(Math.max(...pages.map(({ units }) => units))).toBeLessThan(75 + 35);
}, 600_000);

describe("what one old alias among many costs", () => {
  const [rare, target] = [recipient("rare"), recipient("target")];
  // Before all others.
  const oldest = { ...alias("older", [rare]), id: valueOf(parseAliasId("alias-")) };
  const unitsOf = async (call: () => Promise<unknown>) => {
    meter.read();
    const result = await call();
    return { result, units: meter.read().reduce((sum, { units }) => sum + units, 0) };
  };
  const ports = () => ({ ...store, clock: testPorts(NOW).clock });

  beforeAll(async () => {
    for (const each of [rare, target]) valueOf(await store.recipients.create(each, NO_LIMITS));
    valueOf(await store.aliases.create(oldest, NO_LIMITS));
  });

  test("if its recipient is to be deleted", async () => {
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
  const pages = await readPages(100, { deleted: true });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n < OLDEST));
}, 600_000);
