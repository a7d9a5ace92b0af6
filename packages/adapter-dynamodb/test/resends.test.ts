import { NO_LIMITS } from "@postern/core";
import { RESEND_RETENTION, type Resend } from "@postern/core/store";
import { failureOf, testBody, testMessage, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS } from "./support/fault-proxy-faults.ts";
import { inTurn, on } from "./support/fault-proxy-plans.ts";
import { scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

const home = recipient("home");
const shop = alias("shop", [home]);
/** DynamoDB Local deletes items that have expired by the clock of the machine. */
const NOW = Date.now();
const { spool } = testBody(0);
const resend: Resend = {
  spool,
  account: shop.account,
  alias: shop.id,
  message: testMessage(shop).id,
  at: NOW,
};

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
  valueOf(await store.recipients.create(home, NO_LIMITS));
  valueOf(await store.aliases.create(shop, NO_LIMITS));
});
afterEach(() => store.close());

const listed = async () => valueOf(await store.resends.list(spool, 100));

test("a request is one item in a partition of its spool, which expires after 7 days", async () => {
  valueOf(await store.resends.request(resend));
  const items = (await scan(documents(), table)).filter(({ pk }) => pk.includes(spool));
  expect(items).toMatchObject([{ expires: Math.ceil((NOW + RESEND_RETENTION) / 1000) }]);
  expect(valueOf(await store.accounts({ limit: 10, after: null })).items).toEqual([shop.account]);
});

test.for(BRIEF_FAULTS)(
  "a request is stored and finished once if the first attempt meets this fault: %s",
  async (fault) => {
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table);
    proxy.follow(on("PutItem", inTurn(fault)));
    valueOf(await faulty.resends.request(resend));
    expect(await listed()).toEqual([resend]);
    proxy.follow(on("TransactWriteItems", inTurn(fault)));
    valueOf(await faulty.resends.finish(resend));
    expect(await listed()).toEqual([]);
    faulty.close();
    await proxy.close();
  },
);

test("a corrupt request is reported, and makes the list unavailable", async () => {
  const reported: string[] = [];
  const watching = openStore(dynamo().client(), table, { reported });
  valueOf(await store.resends.request(resend));
  await setAttribute(documents(), table, Key.resend(resend), "alias", "another");
  expect(failureOf(await watching.resends.list(spool, 10)).code).toBe("unavailable");
  const { pk, sk } = Key.resend(resend);
  expect(reported).toEqual([`${pk} ${sk}`]);
  watching.close();
});
