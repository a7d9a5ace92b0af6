import { EVENT_TYPES, MAX_WEBHOOK_URL_LENGTH, Webhook, type WebhookSecret } from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newWebhookSecret } from "../src/webhook/webhook-secret.ts";

const stored = {
  id: "w".repeat(26),
  account: "account-1",
  url: "https://service.example/webhook",
  events: ["alias.created", "message.failed"],
  secret: `whsec_${"a".repeat(42)}A=`,
  off: null,
  createdAt: 1,
  updatedAt: 2,
  version: 3,
};

const webhook = valueOf(parseWebhook(stored));

const reasonFor = (fields: object) => {
  const { code, ...failure } = failureOf(parseWebhook({ ...stored, ...fields }));
  expect(code).toBe("invalid_request");
  return failure;
};

describe("the URL of a webhook", () => {
  const urlOf = (url: string) => valueOf(parseWebhook({ ...stored, url })).url;

  test.each([
    ["https://service.example", "https://service.example/"],
    ["HTTPS://Service.Example:443/Path?Query=1", "https://service.example/Path?Query=1"],
    ["https://service.example:8443/a/../b", "https://service.example:8443/b"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://service.example/?a=b c", "https://service.example/?a=b%20c"],
  ])("%s is stored as %s", (given, expected) => {
    expect(urlOf(given)).toBe(expected);
    expect(urlOf(expected)).toBe(expected);
  });

  test.each([
    ["", "must be a URL such as https://example.com/webhook"],
    ["service.example", "must be a URL such as https://example.com/webhook"],
    ["http://service.example/", "must begin with https://"],
    ["ftp://service.example/", "must begin with https://"],
    ["https://user@service.example/", "must not contain a user or a password"],
    ["https://:secret@service.example/", "must not contain a user or a password"],
    ["https://service.example/#part", "must not have a fragment (#)"],
    ["https://localhost/", "must be on a domain such as example.com"],
    ["https://127.0.0.1/", "must be on a domain such as example.com"],
    ["https://2130706433/", "must be on a domain such as example.com"],
    ["https://[::1]/", "must be on a domain such as example.com"],
    [`https://service.example/${"x".repeat(MAX_WEBHOOK_URL_LENGTH)}`, "must be at most 2000 characters"],
    // Too long once it is encoded for sending.
    [`https://service.example/${"é".repeat(500)}`, "must be at most 2000 characters"],
  ])("%s is refused", (url, reason) => {
    expect(reasonFor({ url })).toEqual({ issues: [{ path: ["url"], reason }] });
  });

  test("has at most 2,000 characters", () => {
    const start = "https://service.example/";
    const longest = start + "x".repeat(MAX_WEBHOOK_URL_LENGTH - start.length);
    expect(urlOf(longest)).toBe(longest);
    expect(reasonFor({ url: `${longest}x` }).issues).toHaveLength(1);
  });
});

describe("the events of a webhook", () => {
  test("are each named once, in a fixed order", async () => {
    await fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENT_TYPES), { minLength: 1, maxLength: 14 }), (events) => {
        const expected = EVENT_TYPES.filter((type) => events.includes(type));
        expect(valueOf(parseWebhook({ ...stored, events })).events).toEqual(expected);
      }),
    );
  });

  test.each([
    [[], [], "must name at least one event"],
    [Array.from({ length: 15 }, () => "alias.created"), [], "must have at most 14 items"],
    [
      ["alias.renamed"],
      ["0"],
      "must be one of: alias.created, alias.updated, alias.deleted, message.blocked, message.failed, message.sent, message.queued",
    ],
  ])("%j are refused", (events, path, reason) => {
    expect(reasonFor({ events })).toEqual({ issues: [{ path: ["events", ...path], reason }] });
  });
});

describe("the secret of a webhook", () => {
  test("is new for each webhook, and consists of 32 octets in base64", () => {
    const { random } = testPorts().secrets;
    const secrets = Array.from({ length: 100 }, () => newWebhookSecret(random));
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      const [prefix, key = ""] = secret.split("_");
      expect([prefix, Buffer.from(key, "base64").length]).toEqual(["whsec", 32]);
      expect(Buffer.from(key, "base64").toString("base64")).toBe(key);
      expect(valueOf(parseWebhook({ ...stored, secret })).secret).toBe(secret);
    }
  });

  test("uses every value of its 256 bits", () => {
    const drawn: number[] = [];
    const all = (which: "least" | "greatest"): WebhookSecret =>
      newWebhookSecret((below) => {
        drawn.push(below);
        return which === "least" ? 0 : below - 1;
      });
    expect(Buffer.from(all("least").slice(6), "base64")).toEqual(Buffer.alloc(32, 0));
    expect(Buffer.from(all("greatest").slice(6), "base64")).toEqual(Buffer.alloc(32, 0xff));
    expect(drawn.reduce((bits, below) => bits + Math.log2(below), 0)).toBe(2 * 256);
  });

  test.each([
    "",
    `${"a".repeat(42)}A=`,
    `whsec_${"a".repeat(43)}=`,
    `whsec_${"a".repeat(41)}A=`,
    `x${stored.secret}`,
  ])("%s is refused", (secret) => {
    const reason = "must be a secret that was made for a webhook";
    expect(reasonFor({ secret })).toEqual({ issues: [{ path: ["secret"], reason }] });
  });
});

describe("a webhook", () => {
  test("receives events from the start", () => {
    const { id, account, url, events, secret } = webhook;
    expect(Webhook.create({ id, account, url, events, secret }, 5)).toEqual({
      ...webhook,
      off: null,
      createdAt: 5,
      updatedAt: 5,
      version: 1,
    });
  });

  test("that would not change is the same object", () => {
    const { url, events } = webhook;
    for (const wanted of [{}, { url }, { events: [...events] as const }, { active: true }]) {
      expect(Webhook.change(webhook, wanted, 9)).toBe(webhook);
    }
    const off = Webhook.switchOff(webhook, "gone", 5);
    expect(Webhook.change(off, { active: false }, 9)).toBe(off);
    expect(Webhook.switchOff(off, "failing", 9)).toBe(off);
  });

  test("changes only the given fields", () => {
    const { url } = valueOf(parseWebhook({ ...stored, url: "https://other.example/" }));
    const next = { ...webhook, updatedAt: 9, version: 4 };
    expect(Webhook.change(webhook, { url }, 9)).toEqual({ ...next, url });
    expect(Webhook.change(webhook, { events: ["message.failed"] }, 9)).toEqual({
      ...next,
      events: ["message.failed"],
    });
    expect(Webhook.change(webhook, { active: false }, 9)).toEqual({ ...next, off: "owner" });
  });

  test.each(["owner", "failing", "gone"] as const)("that is off (%s) is switched on again", (reason) => {
    const off = { ...webhook, off: reason };
    expect(Webhook.change(off, { active: true }, 9)).toEqual({
      ...webhook,
      off: null,
      updatedAt: 9,
      version: 4,
    });
  });

  test("receives only its own events, and only while it is on", () => {
    for (const type of EVENT_TYPES) {
      expect(Webhook.receives(webhook, type)).toBe(stored.events.includes(type));
      expect(Webhook.receives(Webhook.switchOff(webhook, "failing", 5), type)).toBe(false);
    }
  });
});
