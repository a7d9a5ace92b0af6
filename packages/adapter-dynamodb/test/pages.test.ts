import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { type Alias, type AliasFilter, AliasId, type Page, type Store } from "@postern/core";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newAliasItem } from "../src/alias-item.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";

/** 100,000 take some minutes to be put there. */
const ALIASES = process.env["POSTERN_MANY_ALIASES"] === undefined ? 10_000 : 100_000;

const holder = recipient("holder");
const idAt = (n: number) => AliasId.parse(`alias-${String(n).padStart(6, "0")}`);
const template = alias("template", [holder]);
/** Every hundredth one is about a needle; of the oldest half all are deleted. */
const aliasAt = (n: number): Alias => ({
  ...template,
  id: idAt(n),
  description: n % 100 === 0 ? "a needle" : "hay",
  deletedAt: n < ALIASES / 2 ? NOW : null,
});

let dynamo: DynamoDbLocal;
let meter: Meter;
let store: Store & { close(): void };

const seed = async (table: string) => {
  const documents = DynamoDBDocumentClient.from(dynamo.client());
  for (let n = 0; n < ALIASES; n += 100) {
    const batches = [0, 25, 50, 75].map((part) =>
      Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: newAliasItem(aliasAt(n + part + i)) } })),
    );
    await Promise.all(
      batches.map((batch) => documents.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }))),
    );
  }
  documents.destroy();
};

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  meter = await startMeter(dynamo.endpoint);
  const table = await dynamo.newTable();
  await seed(table);
  store = dynamoStore({
    client: dynamo.patientClient(meter.endpoint),
    table,
    clock: Date,
    onCorruptItem: () => expect.unreachable("nothing is damaged"),
    patience: 30_000,
  });
}, 1_200_000);
afterAll(async () => {
  store.close();
  await meter.close();
  await dynamo.stop();
});

type Walked = readonly { readonly ids: readonly string[]; readonly units: number }[];

/** Every page, and the read units that it took. */
const walk = async (limit: number, filter: AliasFilter): Promise<Walked> => {
  const pages: { ids: string[]; units: number }[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = (
      await store.aliases.list(ACCOUNT, { limit, after }, filter)
    )._unsafeUnwrap();
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
  const pages = await walk(100, { deleted: false });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n >= ALIASES / 2));
  const full = pages.filter(({ ids }) => ids.length === 100);
  expect(full).toHaveLength(ALIASES / 200);
  const costs = full.map(({ units }) => units);
  // 101 aliases of some 450 bytes; 4 KB are a unit. The last page looks on, for others that are not deleted.
  expect(Math.max(...costs.slice(0, -1))).toBeLessThan(13);
  expect(Math.max(...costs.slice(0, -1)) - Math.min(...costs)).toBeLessThanOrEqual(0.5);
}, 600_000);

test("a search for few among many is several pages, none of which costs more than a fixed amount", async () => {
  const pages = await walk(50, { deleted: false, q: "needle" });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n >= ALIASES / 2 && n % 100 === 0));
  expect(pages.length).toBeGreaterThan(ALIASES / 5_000);
  // Some 2,400 aliases at the most.
  expect(Math.max(...pages.map(({ units }) => units))).toBeLessThan(300);
}, 600_000);

test("the deleted ones are found behind all the others", async () => {
  const pages = await walk(100, { deleted: true });
  expect(pages.flatMap(({ ids }) => ids)).toEqual(newestFirst((n) => n < ALIASES / 2));
}, 600_000);
