import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import {
  deleteAlias,
  deleteRecipient,
  reassignRecipient,
  replaceRecipients,
  restoreAlias,
  updateRecipient,
} from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";

const account = ACCOUNT;
const RECIPIENTS = ["r0", "r1", "r2", "r3", "r4"];
const ALIASES = ["a0", "a1", "a2"];

const { clock } = testPorts();
const open = (dynamo: DynamoDbLocal, table: string) => {
  const store = dynamoStore({
    client: dynamo.client(),
    table,
    clock: Date,
    onCorruptItem: ({ pk, sk }) => expect.unreachable(`the item at ${pk} ${sk} is damaged`),
    patience: 30_000,
  });
  const ports = { ...store, clock };
  return {
    store,
    replace: replaceRecipients(ports),
    remove: deleteAlias(ports),
    restore: restoreAlias(ports),
    reassign: reassignRecipient(ports),
    update: updateRecipient(ports),
    forget: deleteRecipient(ports),
  };
};
type Service = ReturnType<typeof open>;

const someAlias = fc.constantFrom(...ALIASES);
const someRecipient = fc.constantFrom(...RECIPIENTS);
const someRecipients = fc.uniqueArray(someRecipient, { minLength: 1 });

type Call = (service: Service) => Promise<unknown>;
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(someAlias, someRecipients).map(
    ([aliasId, recipientIds]): Call =>
      ({ replace }) =>
        replace({ account, aliasId, recipientIds }),
  ),
  someAlias.map(
    (aliasId): Call =>
      ({ remove }) =>
        remove({ account, aliasId }),
  ),
  someAlias.map(
    (aliasId): Call =>
      ({ restore }) =>
        restore({ account, aliasId }),
  ),
  fc.tuple(someRecipient, someRecipient).map(
    ([recipientId, to]): Call =>
      ({ reassign }) =>
        reassign({ account, recipientId, to }),
  ),
  fc.tuple(someRecipient, fc.boolean()).map(
    ([recipientId, active]): Call =>
      ({ update }) =>
        update({ account, recipientId, active }),
  ),
  fc.constant("r4").map(
    (recipientId): Call =>
      ({ forget }) =>
        forget({ account, recipientId }),
  ),
);

let dynamo: DynamoDbLocal;
let documents: DynamoDBDocumentClient;
beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  documents = DynamoDBDocumentClient.from(dynamo.client());
});
afterAll(async () => {
  documents.destroy();
  await dynamo.stop();
});

const AliasRow = z.object({
  sk: z.string().startsWith("alias#"),
  destinations: z.array(z.object({ recipientId: z.string() })),
  deletedAt: z.number().nullable(),
});
const RecipientRow = z.object({
  sk: z.string().startsWith("recipient#"),
  id: z.string(),
  attached: z.number(),
  active: z.boolean(),
});

/** Every recipient, with the count it has and the count it ought to have, from a scan of the whole table. */
const counts = async (table: string) => {
  const rows: unknown[] = [];
  for await (const page of paginateScan({ client: documents }, { TableName: table, ConsistentRead: true })) {
    rows.push(...(page.Items ?? []));
  }
  const aliases = rows.flatMap((row) => AliasRow.safeParse(row).data ?? []);
  return rows
    .flatMap((row) => RecipientRow.safeParse(row).data ?? [])
    .map(({ id, attached, active }) => ({
      id,
      active,
      attached,
      held: aliases.filter(
        ({ deletedAt, destinations }) =>
          deletedAt === null && destinations.some(({ recipientId }) => recipientId === id),
      ).length,
    }));
};

test("the count of aliases never drifts from what a scan finds, whatever two stores do at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
      async (rounds) => {
        const table = await dynamo.newTable();
        const services = [open(dynamo, table), open(dynamo, table)] as const;
        const [{ store }] = services;
        const pool = RECIPIENTS.map(recipient);
        for (const each of pool) (await store.recipients.create(each))._unsafeUnwrap();
        for (const id of ALIASES) (await store.aliases.create(alias(id, pool.slice(0, 2))))._unsafeUnwrap();
        for (const round of rounds) {
          await Promise.all(round.map((run, i) => run(services[i % 2 === 0 ? 0 : 1])));
          for (const { attached, held, active } of await counts(table)) {
            expect(attached).toBe(held);
            if (held > 0) expect(active).toBe(true);
          }
        }
        for (const service of services) service.store.close();
      },
    ),
    { numRuns: 20 },
  );
}, 300_000);
