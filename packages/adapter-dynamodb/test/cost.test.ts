import { dynamoStore } from "@postern/adapter-dynamodb";
import { EventId, replaceRecipients, type Store } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Meter, startMeter } from "./support/meter.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";

const [a, b, c] = [recipient("a"), recipient("b"), recipient("c")];
const shop = alias("shop", [a, b]);

let dynamo: DynamoDbLocal;
let meter: Meter;
let store: Store & { close(): void };

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  meter = await startMeter(dynamo.endpoint);
});
afterAll(async () => {
  await meter.close();
  await dynamo.stop();
});

beforeEach(async () => {
  store = dynamoStore({
    client: dynamo.patientClient(meter.endpoint),
    table: await dynamo.newTable(),
    clock: Date,
    onCorruptItem: () => expect.unreachable("nothing is damaged"),
    patience: 30_000,
  });
  for (const each of [a, b, c]) (await store.recipients.create(each))._unsafeUnwrap();
  (await store.aliases.create(shop))._unsafeUnwrap();
  meter.read();
  return () => store.close();
});

/** Each request with the units it reads or the items it writes, as `docs/dynamodb.md` states them. */
const bill = () =>
  meter
    .read()
    .map(({ operation, units, written }) => `${operation} ${written.length > 0 ? written.length : units}`);

const replace = async (...ids: string[]) => {
  const { clock } = testPorts(NOW);
  const call = replaceRecipients({ aliases: store.aliases, clock });
  expect(await call({ account: ACCOUNT, aliasId: "shop", recipientIds: ids })).toHaveProperty("value");
};

describe("replacing recipients", () => {
  test("is two requests and writes the alias and those who come and go, nobody else", async () => {
    await replace("c", "b");
    const [load, save, ...more] = meter.read();
    expect(load).toEqual({ operation: "BatchGetItem", units: 3, written: [] });
    expect(save?.operation).toBe("TransactWriteItems");
    expect(save?.written.toSorted()).toEqual(["alias#shop", "recipient#a", "recipient#c"]);
    expect(more).toEqual([]);
  });

  test("by another order writes the alias alone", async () => {
    await replace("b", "a");
    expect(meter.read().map(({ written }) => written)).toEqual([[], ["alias#shop"]]);
  });

  test("by the same list is one request and writes nothing", async () => {
    await replace("a", "b", "a");
    expect(bill()).toEqual(["BatchGetItem 3"]);
  });
});

describe("the bill of", () => {
  const event = (id: string, at = NOW) => ({ id: EventId.parse(id), outcome: "sent", at }) as const;
  const page = { limit: 50, after: null };
  const changed = { ...a, nonce: "other", version: 2 };
  const calls: Record<string, readonly [run: () => Promise<unknown>, ...bill: string[]]> = {
    "finding an alias": [() => store.aliases.findWithRecipients(ACCOUNT, shop.id, []), "BatchGetItem 1"],
    "listing aliases": [() => store.aliases.list(ACCOUNT, page, { deleted: false }), "Query 1"],
    "creating an alias": [() => store.aliases.create(alias("new", [a])), "TransactWriteItems 3"],
    "counting an event": [() => store.aliases.recordOutcome(shop, event("1")), "TransactWriteItems 2"],
    "counting an event by address": [
      () => store.aliases.recordOutcome({ email: shop.email }, event("1")),
      "BatchGetItem 1",
      "TransactWriteItems 2",
    ],
    "finding a recipient": [() => store.recipients.find(ACCOUNT, a.id), "BatchGetItem 1"],
    "finding recipients": [() => store.recipients.findAll(ACCOUNT, [a.id, b.id, a.id]), "BatchGetItem 2"],
    "listing recipients": [() => store.recipients.list(ACCOUNT, page), "Query 1"],
    "creating a recipient": [() => store.recipients.create(recipient("new")), "TransactWriteItems 2"],
    "saving a recipient": [() => store.recipients.save(a, changed), "TransactWriteItems 1"],
    "removing a recipient": [() => store.recipients.remove(c), "TransactWriteItems 2"],
    "a ping": [() => store.ping(), "GetItem 0.5"],
  };

  test.for(Object.entries(calls))("%s", async ([, [run, ...expected]]) => {
    expect(await run()).toHaveProperty("value");
    expect(bill()).toEqual(expected);
  });

  test("finding more recipients than one request can ask for", async () => {
    const unknown = Array.from({ length: 150 }, (_, n) => recipient(`unknown-${n}`).id);
    const found = await store.recipients.findAll(ACCOUNT, [a.id, ...unknown, b.id]);
    expect(found._unsafeUnwrap().map(({ id }) => id)).toEqual([a.id, b.id]);
    expect(meter.read()).toHaveLength(2);
  });

  test("counting an event that is older than the last one", async () => {
    await store.aliases.recordOutcome(shop, event("1"));
    meter.read();
    await store.aliases.recordOutcome(shop, event("2", NOW - 1));
    expect(bill()).toEqual(["TransactWriteItems 2", "TransactWriteItems 2"]);
  });
});
