import { type EventId, NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const DAY = 24 * 60 * 60 * 1000;
// In the future for DynamoDB Local, which would otherwise delete the expired items that this test needs.
const START = Date.now() + 365 * DAY;

const owner = recipient("owner");
const shop = alias("shop", [owner]);
const event = { id: valueOf(parseEventId("1")), outcome: "bounced", at: START } as const;

const { dynamo } = useDynamoDb();
let store: OpenStore;
let now = START;

beforeEach(async () => {
  now = START;
  store = openStore(dynamo().client(), await dynamo().newTable(), { clock: { now: () => now } });
  valueOf(await store.recipients.create(owner, NO_LIMITS));
  valueOf(await store.aliases.create(shop, NO_LIMITS));
});
afterEach(() => store.close());

const report = async (what: { readonly at: number; readonly id: EventId } = event) =>
  valueOf(await store.aliases.recordOutcome(shop, { ...event, ...what }));

const tally = async () =>
  valueOf(await store.aliases.findWithRecipients(ACCOUNT, shop.id, [])).alias?.tallies.bounced;

test("remembers an event for 35 days, even if DynamoDB has not deleted the expired item yet", async () => {
  expect(await report()).toBe("recorded");
  now = START + 35 * DAY - 1;
  expect(await report()).toBe("duplicate");
  now = START + 36 * DAY;
  expect(await report()).toBe("recorded");
  expect(await report()).toBe("duplicate");
  expect(await tally()).toEqual({ count: 2, lastAt: START });
});

test("the last time never goes back, no matter in what order concurrent events are reported", async () => {
  const times = [5, 3, 9, 0, 9, 7, 1, 8];
  const reported = times.map((at, i) => report({ id: valueOf(parseEventId(`event-${i}`)), at: START + at }));
  expect(await Promise.all(reported)).toEqual(times.map(() => "recorded"));
  expect(await report({ id: valueOf(parseEventId("late")), at: START + 4 })).toBe("recorded");
  expect(await tally()).toEqual({ count: times.length + 1, lastAt: START + 9 });
});
