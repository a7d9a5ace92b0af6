import { type Alias, type AliasFilter, type AliasId, type Page, parseAliasId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAliasItem } from "../src/alias-item.ts";
import { Key } from "../src/table.ts";
import { putAll } from "./support/items.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** 100,000 take some minutes to write. */
const ALIASES = process.env["POSTERN_MANY_ALIASES"] === undefined ? 10_000 : 100_000;

const owner = recipient("owner");
const idAt = (n: number) => valueOf(parseAliasId(`alias-${String(n).padStart(6, "0")}`));
const template = alias("template", [owner]);
/** Every hundredth alias mentions a needle; the oldest half are deleted. */
const aliasAt = (n: number): Alias => ({
  ...template,
  id: idAt(n),
  description: n % 100 === 0 ? "a needle" : "hay",
  deletedAt: n < ALIASES / 2 ? NOW : null,
});

const { dynamo, documents } = useDynamoDb();
let meter: Meter;
let store: OpenStore;

const write = async (table: string) => {
  for (let n = 0; n < ALIASES; n += 20) {
    const items = Array.from({ length: 20 }, (_, i) => aliasAt(n + i)).flatMap((each) => [
      newAliasItem(each),
      ...Key.tallies(ACCOUNT, each.id).map((key) => ({ ...key, schema: 1 })),
    ]);
    const batches = [0, 25, 50, 75].map((part) => items.slice(part, part + 25));
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
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n >= ALIASES / 2));
  const full = pages.filter(({ ids }) => ids.length === 100);
  expect(full).toHaveLength(ALIASES / 200);
  const costs = full.map(({ units }) => units);
  // 101 aliases of about 450 bytes, and 400 tally items of about 50; a unit is 4 KB. The last page also reads through the
  // deleted aliases.
  expect(Math.max(...costs.slice(0, -1))).toBeLessThan(19);
  expect(Math.max(...costs.slice(0, -1)) - Math.min(...costs)).toBeLessThanOrEqual(0.5);
}, 600_000);

test("a search with few matches takes several pages, each of bounded cost", async () => {
  const pages = await readPages(50, { deleted: false, q: "needle" });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n >= ALIASES / 2 && n % 100 === 0));
  expect(pages.length).toBeGreaterThan(ALIASES / 1_000);
  // At most about 400 aliases, and their tally items.
  expect(Math.max(...pages.map(({ units }) => units))).toBeLessThan(75);
}, 600_000);

test("finds deleted aliases after many live ones", async () => {
  const pages = await readPages(100, { deleted: true });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n < ALIASES / 2));
}, 600_000);
