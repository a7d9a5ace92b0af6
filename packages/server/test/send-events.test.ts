import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { webhookEventJson } from "@postern/adapter-http";
import { webhookSender } from "@postern/adapter-webhooks";
import { parseAccountId, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { sendEvents } from "../src/lambda/send-events.ts";
import { eventSendingOf } from "../src/serve/composition/event-sending.ts";
import { noMetrics } from "../src/serve/observability/metrics.ts";
import { configurationWith } from "./support/configuration.ts";
import { newReceiver } from "./support/webhooks.ts";

/* Functions that send events, on one table of DynamoDB Local, to a service that receives them over HTTPS. */

const Event = z.object({ data: z.object({ alias_id: z.string() }) });

const LONG = () => 60_000;

/** A table with accounts that each have a webhook and aliases, all announced; and instances of the function. */
const start = async (accounts: number, aliasesEach: number) => {
  const receiver = await newReceiver();
  const dynamo = await sharedDynamoDb();
  const table = await dynamo.newTable();
  const openStore = () => {
    const store = dynamoStore({
      client: dynamoClient(dynamo.location, 30_000),
      table,
      clock: Date,
      onCorruptItem: () => expect.unreachable(),
      timeoutMs: 60_000,
    });
    onTestFinished(store.close);
    return store;
  };
  const webhookSending = webhookSender({
    format: webhookEventJson,
    allowPrivateNetworks: true,
    ca: receiver.ca,
    dns: receiver.dns,
  });
  onTestFinished(webhookSending.close);

  const ports = { ...testPorts(Date.now()), webhookSending, timeoutMs: 60_000 };
  const service = postern({ store: openStore(), aliasDomains: ["alias.example.com"], ...ports });
  const created: string[] = [];
  for (let n = 0; n < accounts; n += 1) {
    const account = valueOf(parseAccountId(`account-${n}`));
    const url = `${receiver.url}/${n}`;
    valueOf(await service.createWebhook({ account, url, events: ["alias.created"] }));
    const { id } = valueOf(await service.adoptRecipient({ account, email: "ada@home.example" }));
    for (let count = 0; count < aliasesEach; count += 1) {
      created.push(valueOf(await service.createAlias({ account, recipientIds: [id] })).id);
    }
  }

  const logger = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) };
  const newFunction = () => {
    const parts = { store: openStore(), logger, metrics: noMetrics, webhookSending };
    const { events, unreported } = eventSendingOf(configurationWith(), parts);
    return (timeLeft: () => number) => sendEvents(events, timeLeft, unreported);
  };
  const sent = () => receiver.received.map(({ body }) => Event.parse(JSON.parse(body)).data.alias_id);
  return { created, newFunction, sent };
};

test("five at once send each event once, and end when none is due", async () => {
  const { created, newFunction, sent } = await start(6, 5);
  const turns = await Promise.all(Array.from({ length: 5 }, () => newFunction()(LONG)));
  expect(turns.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(6);
  expect(sent().toSorted()).toEqual(created.toSorted());
  expect(await newFunction()(LONG)).toBe(0);
});

test("without time left, what was begun ends, and the next invocation sends the others", async () => {
  const { created, newFunction, sent } = await start(1, 8);
  let asked = 0;
  // After the third question, nothing more can be begun.
  const short = () => (++asked > 3 ? 20_000 : 60_000);
  expect(await newFunction()(short)).toBe(1);
  const before = sent();
  expect(before.length).toBeGreaterThan(0);
  expect(before.length).toBeLessThan(created.length);
  await newFunction()(LONG);
  expect(sent().toSorted()).toEqual(created.toSorted());
});
