import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "account-1";

/** A store with nothing but what every store has. */
const baseStore = () => {
  const { aliases, recipients, mailLedger, creations, ping } = memoryStore();
  return { aliases, recipients, mailLedger, creations, ping };
};
const open = () => postern({ store: baseStore(), aliasDomains: ["alias.example"], ...testPorts() });

const all = memoryStore();
const PARTS = {
  contacts: [{ contacts: all.contacts }, ["createContact", "getContact", "listContacts", "updateContact"]],
  "blocked senders": [
    { blockedSenders: all.blockedSenders },
    ["blockSender", "listBlockedSenders", "unblockSender"],
  ],
  messages: [
    { messageLog: all.messageLog, resends: all.resends },
    ["getMessage", "listMessages", "resendMessage"],
  ],
  webhooks: [
    { webhooks: all.webhooks, outbox: all.outbox },
    ["createWebhook", "deleteWebhook", "getWebhook", "listWebhooks", "testWebhook", "updateWebhook"],
  ],
  "API keys": [
    { apiKeys: all.apiKeys },
    ["authenticateApiKey", "createApiKey", "deleteApiKey", "listApiKeys"],
  ],
  suspensions: [{ suspensions: all.suspensions }, ["resumeAccount", "suspendAccount"]],
} as const;

describe("a service on a store without parts", () => {
  test("has no operations on them, for the compiler and in fact", () => {
    // @ts-expect-error: the store has no contacts.
    expect(open().createContact).toBeUndefined();
    const missing = Object.values(PARTS).flatMap(([, operations]) => operations);
    expect(Object.keys(open()).filter((name) => missing.some((other) => other === name))).toEqual([]);
    const complete = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });
    expect(Object.keys(complete).toSorted()).toEqual([...Object.keys(open()), ...missing].toSorted());
  });

  test("replaces recipients, resolves addresses and erases accounts like any other", async () => {
    const service = open();
    const one = valueOf(await service.adoptRecipient({ account, email: "one@home.example" }));
    const two = valueOf(await service.adoptRecipient({ account, email: "two@home.example" }));
    const { id, email } = valueOf(await service.createAlias({ account, recipientIds: [one.id] }));
    valueOf(await service.replaceRecipients({ account, aliasId: id, recipientIds: [two.id] }));
    const { alias } = valueOf(await service.resolveAlias({ address: email }));
    expect(alias.destinations).toEqual([{ recipientId: two.id, email: "two@home.example" }]);
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 1,
      recipients: 2,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
  });
});

test.each(Object.entries(PARTS))(
  "a store with %s has their operations in addition",
  (_, [part, operations]) => {
    const store = { ...baseStore(), ...part };
    const service = postern({ store, aliasDomains: ["alias.example"], ...testPorts() });
    const before = Object.keys(open());
    expect(
      Object.keys(service)
        .filter((name) => !before.includes(name))
        .toSorted(),
    ).toEqual(operations);
  },
);

test.each(["messageLog", "resends", "webhooks", "outbox"] as const)(
  "half of a part, such as a store with all but %s, is a mistake",
  (name) => {
    const store = { ...memoryStore(), [name]: undefined };
    expect(() => postern({ store, aliasDomains: ["alias.example"], ...testPorts() })).toThrow(
      new TypeError(`postern needs the ports store.${name}`),
    );
  },
);
