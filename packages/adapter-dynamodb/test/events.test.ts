import { dynamoStore } from "@postern/adapter-dynamodb";
import { EventId, type Store } from "@postern/core";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";

const DAY = 24 * 60 * 60 * 1000;
// Later than the clock of DynamoDB Local, which would otherwise sweep what this test wants to find not yet swept.
const START = Date.now() + 365 * DAY;

const owner = recipient("owner");
const shop = alias("shop", [owner]);
const event = { id: EventId.parse("1"), outcome: "bounced", at: START } as const;

let dynamo: DynamoDbLocal;
let store: Store & { close(): void };
let now = START;

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
});
afterAll(() => dynamo.stop());
beforeEach(async () => {
  now = START;
  store = dynamoStore({
    client: dynamo.client(),
    table: await dynamo.newTable(),
    clock: { now: () => now },
    onCorruptItem: () => expect.unreachable("nothing is damaged"),
    patience: 30_000,
  });
  (await store.recipients.create(owner))._unsafeUnwrap();
  (await store.aliases.create(shop))._unsafeUnwrap();
});
afterEach(() => store.close());

const tell = async (what: { readonly at: number; readonly id: EventId } = event) =>
  (await store.aliases.recordOutcome(shop, { ...event, ...what }))._unsafeUnwrap();

const tally = async () =>
  (await store.aliases.findWithRecipients(ACCOUNT, shop.id, []))._unsafeUnwrap().alias?.tallies.bounced;

test("an event is remembered for 35 days; a marker that is over but not yet swept does not count", async () => {
  expect(await tell()).toBe("recorded");
  now = START + 35 * DAY - 1;
  expect(await tell()).toBe("repeated");
  now = START + 36 * DAY;
  expect(await tell()).toBe("recorded");
  expect(await tell()).toBe("repeated");
  expect(await tally()).toEqual({ count: 2, lastAt: START });
});

test("the last time goes forward only, whatever the order of events told at once", async () => {
  const times = [5, 3, 9, 0, 9, 7, 1, 8];
  const told = times.map((at, i) => tell({ id: EventId.parse(`event-${i}`), at: START + at }));
  expect(await Promise.all(told)).toEqual(times.map(() => "recorded"));
  expect(await tell({ id: EventId.parse("late"), at: START + 4 })).toBe("recorded");
  expect(await tally()).toEqual({ count: times.length + 1, lastAt: START + 9 });
});
