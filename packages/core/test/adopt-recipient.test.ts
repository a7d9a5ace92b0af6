import { memoryStore } from "@postern/adapter-memory";
import { err, postern } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "account-1";
const open = () => {
  const [store, ports] = [memoryStore(), testPorts()];
  return { store, ports, service: postern({ store, aliasDomains: ["alias.example"], ...ports }) };
};

describe("adoptRecipient", () => {
  test("adds a verified recipient without sending a message", async () => {
    const { service, ports } = open();
    const adopted = valueOf(await service.adoptRecipient({ account, email: "me@Home.example" }));
    const now = ports.clock.now();
    expect(adopted).toMatchObject({ email: "me@home.example", verifiedAt: now, active: true });
    expect(adopted.verificationSentAt).toBeNull();
    expect(valueOf(await service.getRecipient({ account, recipientId: adopted.id }))).toEqual(adopted);
    expect(ports.outbox).toEqual([]);
    const created = await service.createAlias({ account, recipientIds: [adopted.id] });
    expect(created.isOk()).toBe(true);
  });

  test("refuses an address on an alias domain, a taken address, and an invalid one", async () => {
    const { service } = open();
    const adopt = async (email: string) => failureOf(await service.adoptRecipient({ account, email }));
    expect(await adopt("me@alias.example")).toEqual({
      code: "address_not_allowed",
      reason: "is_an_alias_domain",
    });
    await service.addRecipient({ account, email: "me@home.example" });
    expect(await adopt("ME@home.example")).toEqual({ code: "address_taken" });
    expect((await adopt("me")).code).toBe("invalid_request");
  });

  test("reports that the store is unavailable", async () => {
    const { store, ports } = open();
    const create = async () => err({ code: "unavailable" } as const);
    const recipients = { ...store.recipients, create };
    const service = postern({ store: { ...store, recipients }, aliasDomains: ["alias.example"], ...ports });
    expect(failureOf(await service.adoptRecipient({ account, email: "me@home.example" }))).toEqual({
      code: "unavailable",
    });
  });
});
