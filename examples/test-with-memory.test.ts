/* A domain test of a program that uses Postern: a store in memory, and a clock that the test moves forward. */
import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";

const account = "tenant-1";

test("an alias never forwards to a mailbox whose link was opened too late", async () => {
  const ports = testPorts();
  const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...ports });

  const prompt = valueOf(await service.addRecipient({ account, email: "prompt@example.org" })).recipient;
  await service.verifyRecipient({ token: ports.outbox[0]?.token ?? "" });
  const late = valueOf(await service.addRecipient({ account, email: "late@example.org" })).recipient;
  ports.clock.advance(25 * 60 * 60 * 1000);
  await service.verifyRecipient({ token: ports.outbox[1]?.token ?? "" });

  const alias = valueOf(await service.createAlias({ account, recipientIds: [prompt.id] }));
  const recipientIds = [prompt.id, late.id];
  const replaced = await service.replaceRecipients({ account, aliasId: alias.id, recipientIds });
  expect(failureOf(replaced)).toEqual({
    code: "recipients_ineligible",
    recipients: [{ id: late.id, reason: "unverified" }],
  });
});
