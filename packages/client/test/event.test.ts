import { webhookEventJson } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { ALIAS_EVENTS, MESSAGE_EVENTS, postern } from "@postern/core";
import { testMessage, testPorts, valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEvent } from "../src/index.ts";

/** What the server posts about an alias and its messages. */
const bodies = async (): Promise<readonly string[]> => {
  const [account, email] = ["account", "me@home.example"];
  const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });
  const recipientIds = [valueOf(await service.adoptRecipient({ account, email })).id];
  const alias = valueOf(await service.createAlias({ account, recipientIds }));
  const message = { ...testMessage(alias), contactId: null };
  const event = { id: "msg_1", at: 1_700_000_000_000 };
  return [
    ...ALIAS_EVENTS.map((type) => webhookEventJson({ ...event, type, alias })),
    ...MESSAGE_EVENTS.map((type) => webhookEventJson({ ...event, type, alias, message })),
    '{"type": "webhook.test", "timestamp": "2026-11-02T08:15:00.000Z", "data": {"webhook_id": "webhook"}}',
  ];
};

test("every event that the server posts is known, as text and as JSON", async () => {
  for (const body of await bodies()) {
    const event: unknown = JSON.parse(body);
    expect(parseEvent(body)).toEqual({ ok: true, event });
    expect(parseEvent(event)).toEqual({ ok: true, event });
  }
});

test("an event of a later version is none of those, and not wrong", async () => {
  const type = "alias.renamed";
  for (const body of await bodies()) {
    expect(parseEvent({ ...JSON.parse(body), type })).toEqual({ ok: false, reason: "unknown_type", type });
    expect(parseEvent({ ...JSON.parse(body), more: 1 }).ok).toBe(true);
  }
  const timestamp = "2026-11-02T08:15:00.000Z";
  for (const type of ["toString", "__proto__", "constructor"])
    expect(parseEvent({ type, timestamp, data: {} })).toEqual({ ok: false, reason: "unknown_type", type });
});

test("everything else is malformed, and nothing throws", async () => {
  const malformed = { ok: false, reason: "malformed" };
  for (const body of await bodies()) {
    const event: object = JSON.parse(body);
    for (const member of ["type", "timestamp", "data"]) {
      expect(parseEvent({ ...event, [member]: undefined })).toEqual(malformed);
      expect(parseEvent({ ...event, [member]: null })).toEqual(malformed);
    }
    expect(parseEvent({ ...event, data: {} })).toEqual(malformed);
    expect(parseEvent(body.slice(1))).toEqual(malformed);
  }
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (body) => !parseEvent(body).ok));
});
