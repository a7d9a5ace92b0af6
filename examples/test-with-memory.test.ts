/* A domain test of a program that uses Postern: a store in memory, a clock that waits to be told. */
import { memoryStore } from "@postern/adapter-memory";
import { AliasDomains, addRecipient, createAlias, replaceRecipients, verifyRecipient } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { expect, test } from "vitest";

const account = "tenant-1";
const aliasDomains = AliasDomains.parse(["alias.example"]);

test("an alias never forwards to a mailbox whose link was opened too late", async () => {
  const { aliases, recipients } = memoryStore();
  const ports = testPorts();
  const add = addRecipient({ recipients, aliasDomains, ...ports });
  const verify = verifyRecipient({ recipients, ...ports });

  const prompt = (await add({ account, email: "prompt@example.org" }))._unsafeUnwrap().recipient;
  await verify({ token: ports.outbox[0]?.token ?? "" });
  const late = (await add({ account, email: "late@example.org" }))._unsafeUnwrap().recipient;
  ports.clock.advance(25 * 60 * 60 * 1000);
  await verify({ token: ports.outbox[1]?.token ?? "" });

  const create = createAlias({ aliases, recipients, aliasDomains, ...ports });
  const alias = (
    await create({ account, email: "shop@alias.example", recipientIds: [prompt.id] })
  )._unsafeUnwrap();
  const replace = replaceRecipients({ aliases, ...ports });
  const replaced = await replace({ account, aliasId: alias.id, recipientIds: [prompt.id, late.id] });
  expect(replaced._unsafeUnwrapErr()).toEqual({
    code: "recipients_ineligible",
    recipients: [{ id: late.id, reason: "unverified" }],
  });
});
