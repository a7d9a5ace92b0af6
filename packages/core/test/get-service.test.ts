import { memoryStore } from "@postern/adapter-memory";
import { DEFAULT_LIMITS, NO_LIMITS, postern, type WebhookSending } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "account-1";
const aliasDomains = ["Second.example", "bücher.example", "first.example", "second.EXAMPLE"];
const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };

describe("getService", () => {
  test("returns the alias domains, each once, the default first, and the limits", async () => {
    const ports = { store: memoryStore(), aliasDomains, ...testPorts() };
    expect(valueOf(await postern(ports).getService({ account }))).toEqual({
      aliasDomains: ["second.example", "xn--bcher-kva.example", "first.example"],
      sendsEvents: false,
      keysUrl: undefined,
      limits: DEFAULT_LIMITS,
    });
    const limits = { ...NO_LIMITS, aliases: 7 };
    expect(valueOf(await postern({ ...ports, limits }).getService({ account }))).toMatchObject({ limits });
  });

  test("says that events are sent if something sends them, and the store has webhooks", async () => {
    const sendsEvents = async (changes: object) => {
      const store = { ...memoryStore(), ...changes };
      const service = postern({ store, aliasDomains, ...testPorts(), webhookSending });
      return valueOf(await service.getService({ account })).sendsEvents;
    };
    expect(await sendsEvents({})).toBe(true);
    expect(await sendsEvents({ webhooks: undefined, outbox: undefined })).toBe(false);
  });

  test("says where API keys are used, if the store has them", async () => {
    const keysUrl = "https://keys.example";
    const offered = async (changes: object) => {
      const store = { ...memoryStore(), ...changes };
      const service = postern({ store, aliasDomains, ...testPorts(), keysUrl });
      return valueOf(await service.getService({ account })).keysUrl;
    };
    expect(await offered({})).toBe(keysUrl);
    expect(await offered({ apiKeys: undefined })).toBe(undefined);
  });

  test("is for accounts", async () => {
    const service = postern({ store: memoryStore(), aliasDomains, ...testPorts() });
    expect(failureOf(await service.getService({ account: "" })).code).toBe("invalid_request");
  });
});
