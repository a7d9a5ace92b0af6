import { NO_LIMITS } from "@postern/core";
import {
  deleteAlias,
  deleteRecipient,
  eraseAlias,
  reassignRecipient,
  replaceRecipients,
  restoreAlias,
  updateRecipient,
} from "@postern/core/operations";
import { testPorts, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { attachmentsIn } from "./support/attachments.ts";
import { scan } from "./support/items.ts";
import { openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const account = ACCOUNT;
const RECIPIENTS = ["r0", "r1", "r2", "r3", "r4"];
const ALIASES = ["a0", "a1", "a2"];

const { clock } = testPorts();
const { dynamo, documents } = useDynamoDb();

const open = (table: string) => {
  const store = openStore(dynamo().client(), table);
  const ports = { ...store, clock };
  return {
    store,
    replaceRecipients: replaceRecipients(ports),
    deleteAlias: deleteAlias(ports),
    restoreAlias: restoreAlias(ports),
    eraseAlias: eraseAlias(ports),
    reassignRecipient: reassignRecipient(ports),
    updateRecipient: updateRecipient(ports),
    deleteRecipient: deleteRecipient(ports),
  };
};
type Service = ReturnType<typeof open>;

const someAlias = fc.constantFrom(...ALIASES);
const someRecipient = fc.constantFrom(...RECIPIENTS);
const someRecipients = fc.uniqueArray(someRecipient, { minLength: 1 });

type Call = (service: Service) => Promise<unknown>;
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(someAlias, someRecipients).map(
    ([aliasId, recipientIds]) =>
      (service: Service) =>
        service.replaceRecipients({ account, aliasId, recipientIds }),
  ),
  someAlias.map((aliasId) => (service: Service) => service.deleteAlias({ account, aliasId })),
  someAlias.map((aliasId) => (service: Service) => service.restoreAlias({ account, aliasId })),
  fc.tuple(someRecipient, someRecipient).map(
    ([recipientId, to]) =>
      (service: Service) =>
        service.reassignRecipient({ account, recipientId, to }),
  ),
  fc.tuple(someRecipient, fc.boolean()).map(
    ([recipientId, active]) =>
      (service: Service) =>
        service.updateRecipient({ account, recipientId, active }),
  ),
  // Only one of each kind, because erased aliases and deleted recipients never come back.
  fc.constant((service: Service) => service.eraseAlias({ account, aliasId: "a2" })),
  fc.constant((service: Service) => service.deleteRecipient({ account, recipientId: "r4" })),
);

test("`attached` and the attachment items always match a scan, whatever two stores do concurrently", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
      async (rounds) => {
        const table = await dynamo().newTable();
        const services = [open(table), open(table)] as const;
        const [{ store }] = services;
        const pool = RECIPIENTS.map(recipient);
        for (const each of pool) valueOf(await store.recipients.create(each, NO_LIMITS));
        for (const id of ALIASES) valueOf(await store.aliases.create(alias(id, pool.slice(0, 2)), NO_LIMITS));
        for (const round of rounds) {
          await Promise.all(round.map((run, i) => run(services[i % 2 === 0 ? 0 : 1])));
          for (const { attached, attachmentItems, listed, expected, active } of attachmentsIn(
            await scan(documents(), table),
          )) {
            expect(attached).toBe(expected.length);
            expect(attachmentItems).toBe(expected.length);
            expect(listed).toEqual(expected);
            if (expected.length > 0) expect(active).toBe(true);
          }
        }
        for (const service of services) service.store.close();
      },
    ),
    { numRuns: runsWhole(import.meta.url) ? 20 : 5 },
  );
});
