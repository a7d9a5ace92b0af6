import { memoryStore } from "@postern/adapter-memory";
import {
  parseAccountLimits,
  parseAliasDomains,
  parseMessageId,
  parseRecipientIds,
  postern,
} from "@postern/core";
import { EVENT_RETENTION } from "@postern/core/store";
import { failureOf, testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });

const refused = (path: readonly string[], reason: string) => ({
  code: "invalid_request",
  issues: [{ path, reason }],
});

const account = "account-1";
const recipientIds = ["recipient-1"];

describe("why input is refused", () => {
  test.each([
    [{ format: "short" as "words" }, refused(["format"], "must be one of: random, words, uuid")],
    [
      { email: "shop@alias.example", format: "words" as const },
      refused(["email"], "must not be combined with a format or a domain: these generate an address"),
    ],
    [
      { email: "shop@alias.example", domain: "alias.example" },
      refused(["email"], "must not be combined with a format or a domain: these generate an address"),
    ],
    [{ description: "x".repeat(501) }, refused(["description"], "must be at most 500 characters")],
    [{ description: "a\u0007" }, refused(["description"], "must be text without control characters")],
    [
      { description: "\uFDFA".repeat(28) },
      refused(
        ["description"],
        "must be at most 500 characters after ligatures and symbols are replaced by the characters they stand for (ﷺ by 18, ½ by 3): use fewer of them",
      ),
    ],
    [{ recipientIds: "recipient-1" as never }, refused(["recipientIds"], "must be a list of recipient ids")],
    [
      { recipientIds: [] },
      refused(["recipientIds"], "must list at least 1 recipient: mail must have somewhere to go"),
    ],
    [
      { recipientIds: Array.from({ length: 41 }, (_, n) => `r${n}`) },
      refused(["recipientIds"], "must list at most 40 recipients"),
    ],
  ])("createAlias: %j", async (wanted, failure) => {
    expect(failureOf(await service.createAlias({ account, recipientIds, ...wanted }))).toEqual(failure);
  });

  test.each([
    ["", refused(["q"], "must not be empty")],
    ["x".repeat(101), refused(["q"], "must be at most 100 characters")],
    [
      "\uFDFA".repeat(6),
      refused(
        ["q"],
        "must be at most 100 characters after ligatures and symbols are replaced by the characters they stand for: use fewer of them",
      ),
    ],
    ["a b c d e f g h i", refused(["q"], "must have at most 8 different words: leave some out")],
  ])("listAliases: %j", async (q, failure) => {
    expect(failureOf(await service.listAliases({ account, q }))).toEqual(failure);
  });

  test.each([
    [{ alias: {} as never }, refused(["alias"], "must be the alias's address, or its account and id")],
    [
      { outcome: "lost" as "sent" },
      refused(["outcome"], "must be one of: sent, delivered, bounced, complaint, replied, blocked"),
    ],
  ])("recordMailOutcome: %j", async (wrong, failure) => {
    const event = {
      alias: { email: "shop@alias.example" },
      eventId: "event-1",
      outcome: "sent" as const,
      at: 1,
    };
    expect(failureOf(await service.recordMailOutcome({ ...event, ...wrong }))).toEqual(failure);
  });

  test("settings and ids", () => {
    expect(failureOf(parseAccountLimits({ verificationMessages: 10_001 }))).toEqual(
      refused(["verificationMessages"], "must be at most 1000"),
    );
    const long = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(58)}.example`;
    expect(failureOf(parseAliasDomains([long]))).toEqual(refused(["0"], "must be at most 189 characters"));
    expect(failureOf(parseRecipientIds("x"))).toEqual(refused([], "must be a list of recipient ids"));
    expect(failureOf(parseMessageId("x"))).toEqual(refused([], "must be 26 characters of a-z and 2-7"));
  });
});

/** Every field of every input. */
const FIELDS = [
  ...["account", "acceptFrom", "active", "activeUntil", "address", "after", "alias", "aliasId", "at"],
  ...["blockedSenderId", "blocking", "contactId", "deleted", "description", "domain", "email", "eventId"],
  ...["events", "expectedVersions", "format", "limit", "messagesLeft", "outcome", "position", "q"],
  ...["recipient", "recipientId", "recipientIds", "sender", "senders", "to", "token", "url", "webhookId"],
];

const number = fc.oneof(fc.constantFrom(-1, 0, 0.5, 2 ** 53, -(2 ** 60), Number.NaN, 1e300), fc.integer());
const value = fc.oneof(
  number,
  fc.constantFrom("", "x".repeat(3000), true, null, undefined, {}, 1n),
  fc.string(),
  fc.array(fc.oneof(number, fc.string(), fc.constant({})), { maxLength: 150, size: "max" }),
  fc.record({ account: fc.string(), id: number, email: fc.string() }, { requiredKeys: [] }),
);
const input = fc.oneof(fc.record(Object.fromEntries(FIELDS.map((field) => [field, value]))), value);

const { ping: _, ...operations } = service;

test.each(Object.entries(operations))(
  "%s says in the library's own words why input is refused",
  async (_, { parse }) => {
    await fc.assert(
      fc.property(input, (given) => {
        const parsed = parse(given);
        if (parsed.isOk()) return;
        for (const { reason } of parsed.error.issues) {
          expect(reason).toMatch(/^(must|is|has) /);
          expect(reason).not.toContain("xpected");
        }
      }),
    );
  },
);

test("the reasons why numbers are refused state the bounds", async () => {
  expect(failureOf(parseAccountLimits({ aliases: -1 }))).toEqual(refused(["aliases"], "must be at least 0"));
  expect(failureOf(parseAccountLimits({ alias: 1 }))).toEqual(refused([], "has unknown fields: alias"));
  const target = { account, aliasId: "alias-1", expectedVersions: [0] };
  expect(failureOf(await service.deleteAlias(target))).toEqual(
    refused(["expectedVersions", "0"], "must be at least 1"),
  );
});

test("events are remembered for 35 days", () => {
  expect(EVENT_RETENTION).toBe(35 * 86_400_000);
});
