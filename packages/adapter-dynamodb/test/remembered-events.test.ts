import { type Alias, type EventId, NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOM } from "../src/remembered-events.ts";
import { Key, SCHEMA } from "../src/table.ts";
import { putAll, scan } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const DAY = 24 * 60 * 60 * 1000;
// In the future for DynamoDB Local, which would otherwise delete the expired items that this test needs.
const START = Date.now() + 365 * DAY;

const owner = recipient("owner");
const shop = alias("shop", [owner]);

/** The ids of events that the same tally item counts. */
const IDS: readonly EventId[] = Array.from({ length: 16 * ROOM }, (_, n) =>
  valueOf(parseEventId(`event-${n}`)),
)
  .filter((id) => Key.tallyOf(ACCOUNT, shop.id, id).sk.endsWith("\t0"))
  .slice(0, 3 * ROOM);
const [first = expect.unreachable("there are some")] = IDS;

const { dynamo, documents } = useDynamoDb();
let table: string;
let now = START;
let opened: OpenStore[] = [];

const open = (): OpenStore => {
  const store = openStore(dynamo().client(), table, { clock: { now: () => now } });
  opened.push(store);
  return store;
};

beforeEach(async () => {
  now = START;
  table = await dynamo().newTable();
  valueOf(await open().recipients.create(owner, NO_LIMITS));
});
afterEach(() => {
  for (const store of opened) store.close();
  opened = [];
});

/** When the event with this number happened: some are reported in order, and some late. */
const timeOf = (n: number) => START + (n % 3);

/** Reports the event with this number. */
const report = async (store: OpenStore, to: Alias, n: number) =>
  valueOf(await store.aliases.recordOutcome(to, { id: IDS[n] ?? first, outcome: "sent", at: timeOf(n) }));

const sent = async (store: OpenStore, { id }: Alias) =>
  valueOf(await store.aliases.findWithRecipients(ACCOUNT, id, [])).alias?.tallies.sent;

/** The keys of events with items of their own. */
const eventItems = async () =>
  (await scan(documents(), table)).map(({ sk }) => sk).filter((sk) => sk.startsWith("event#"));

/** Makes the alias look like one for which an older version has counted these events: each has an item of its own. */
const asCountedBefore = async ({ id }: Alias, numbers: readonly number[]): Promise<void> => {
  const tally = { ...Key.tallyOf(ACCOUNT, id, first), schema: SCHEMA };
  const counted =
    numbers.length === 0 ? {} : { sentCount: numbers.length, sentAt: Math.max(...numbers.map(timeOf)) };
  const expires = Math.ceil((START + 35 * DAY) / 1000);
  const items = numbers.map((n) => ({ ...Key.event(ACCOUNT, id, IDS[n] ?? first), schema: SCHEMA, expires }));
  await putAll(documents(), table, [{ ...tally, ...counted }, ...items]);
};

const numbers = (maxLength: number) => fc.array(fc.nat(IDS.length - 1), { maxLength });
const history = fc.record({
  /** The events that an older version has counted; null if the alias is new. */
  before: fc.option(numbers(8).map((all) => [...new Set(all)])),
  reports: fc.array(fc.record({ days: fc.constantFrom<number>(0, 10, 20, 40), events: numbers(2 * ROOM) }), {
    maxLength: 6,
  }),
});

/** Each of these numbers twice. */
const twice = (from: number, to: number) =>
  Array.from({ length: 2 * (to - from) }, (_, n) => from + Math.floor(n / 2));
/**
 * The tally item becomes full, has room again, and is full once more; then everything is forgotten. After the first two, what was counted in
 * either way is repeated.
 */
const turns = [
  { days: 0, events: twice(0, 20) },
  { days: 20, events: twice(20, 48) },
  { days: 0, events: twice(0, 48) },
  { days: 20, events: twice(48, 60) },
  { days: 0, events: twice(20, 60) },
  { days: 10, events: twice(40, 80) },
  { days: 40, events: twice(0, 48) },
];

/** How many calls overlap. */
const AT_ONCE = 10;

test("each event is counted once in 35 days, on two servers, however many others there are", async () => {
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ before, reports }) => {
      serial += 1;
      now = START;
      // Which tally items are full, each finds out by itself.
      const stores = [open(), open()] as const;
      const each = alias(`alias-${serial}`, [owner]);
      valueOf(await stores[0].aliases.create(each, NO_LIMITS));
      if (before !== null) await asCountedBefore(each, before);
      const countedAt = new Map(before?.map((n) => [n, START]));
      let count = countedAt.size;
      for (const { days, events } of reports) {
        now += days * DAY;
        const recorded: number[] = [];
        for (let start = 0; start < events.length; start += AT_ONCE) {
          await Promise.all(
            events.slice(start, start + AT_ONCE).map(async (n, place) => {
              if ((await report(stores[place % 2 === 0 ? 0 : 1], each, n)) === "recorded") recorded.push(n);
            }),
          );
        }
        const isNew = (n: number) => now - (countedAt.get(n) ?? Number.NEGATIVE_INFINITY) > 35 * DAY;
        const expected = [...new Set(events)].filter(isNew);
        expect(recorded.toSorted()).toEqual(expected.toSorted());
        count += expected.length;
        for (const n of expected) countedAt.set(n, now);
      }
      const lastAt = countedAt.size === 0 ? null : Math.max(...[...countedAt.keys()].map(timeOf));
      expect(await sent(stores[0], each)).toEqual({ count, lastAt });
    }),
    {
      numRuns: runsWhole(import.meta.url) ? 40 : 5,
      examples: [[{ before: null, reports: turns }], [{ before: [0, 1, 2, 3, 90], reports: turns }]],
    },
  );
});

test("an event gets an item of its own only as long as there is no room for it", async () => {
  const store = open();
  valueOf(await store.aliases.create(shop, NO_LIMITS));
  for (let n = 0; n < ROOM; n += 1) expect(await report(store, shop, n)).toBe("recorded");
  expect(await eventItems()).toEqual([]);
  for (let n = ROOM; n < ROOM + 3; n += 1) expect(await report(store, shop, n)).toBe("recorded");
  expect(await eventItems()).toHaveLength(3);
  now += 36 * DAY;
  for (let n = ROOM + 3; n < 2 * ROOM; n += 1) expect(await report(store, shop, n)).toBe("recorded");
  expect(await eventItems()).toHaveLength(3);
});
