import { memoryStore } from "@postern/adapter-memory";
import { ok, postern } from "@postern/core";
import { parseAlias, parseAliasWith, parseDestination, parseRecipient } from "@postern/core/store";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = "account-1";
const service = postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() });
const recipient = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
const alias = valueOf(await service.createAlias({ account, recipientIds: [recipient.id] }));

describe.each([
  ["parseAlias", parseAlias, alias],
  ["parseRecipient", parseRecipient, recipient],
] as const)("%s", (_, parse, value) => {
  test("reads back what was written as JSON", () => {
    const json: unknown = JSON.parse(JSON.stringify(value));
    expect(parse(json)).toEqual(ok(value));
  });

  // Data stored by earlier versions lacks the other fields.
  const required = Object.keys(value).filter(
    (field) => !["verificationDelivery", "defaultSince", "rules", "website"].includes(field),
  );
  test.each(required)("rejects data without %s", (field) => {
    const { [field]: __, ...rest }: Record<string, unknown> = value;
    expect(failureOf<{ readonly issues: readonly object[] }>(parse(rest)).issues).toEqual([
      { path: [field], reason: "is required" },
    ]);
  });

  test("drops unknown fields", () => {
    expect(parse({ ...value, pinned: true })).toEqual(ok(value));
  });
});

test("an alias whose destinations are parsed one by one is the same", () => {
  const { destinations, ...rest } = JSON.parse(JSON.stringify(alias));
  const parsed = destinations.map((each: unknown) => valueOf(parseDestination(each)));
  expect(parseAliasWith(parsed, rest)).toEqual(ok(alias));
  expect(parseAliasWith(parsed, { ...rest, destinations: "ignored" })).toEqual(ok(alias));
  expect(failureOf(parseAliasWith(parsed, { ...rest, email: "nobody" }))).toMatchObject({
    issues: [{ path: ["email"] }],
  });
  expect(failureOf(parseDestination({ ...destinations[0], email: "nobody" }))).toMatchObject({
    issues: [{ path: ["email"] }],
  });
});

test("an alias stored before an outcome was counted has none of it", () => {
  const { replied: _, ...tallies } = { ...alias.tallies, sent: { count: 3, lastAt: 7 } };
  expect(valueOf(parseAlias({ ...alias, tallies })).tallies).toEqual({
    ...tallies,
    replied: { count: 0, lastAt: null },
  });
  expect(failureOf(parseAlias({ ...alias, tallies: { ...tallies, lost: tallies.sent } }))).toMatchObject({
    issues: [{ path: ["tallies"] }],
  });
});

test("a recipient stored by version 0.1 gets the time of its last message as verificationSentAt", () => {
  const { verificationSentAt: _, ...old } = recipient;
  expect(valueOf(parseRecipient({ ...old, mailedAt: [1, 3, 2] }))).toEqual({
    ...recipient,
    verificationSentAt: 2,
  });
  expect(valueOf(parseRecipient({ ...old, mailedAt: [] })).verificationSentAt).toBeNull();
  expect(
    valueOf(parseRecipient({ ...recipient, verificationSentAt: 3, mailedAt: [1] })).verificationSentAt,
  ).toBe(3);
});

test("a recipient stored before verification mail was queued has no known delivery of its message", () => {
  const { verificationDelivery: _, ...old } = recipient;
  expect(valueOf(parseRecipient(old)).verificationDelivery).toBeNull();
});

test("valueOf and failureOf name the result in their errors", () => {
  expect(() => valueOf(parseAlias(7))).toThrow(/invalid_request/);
  expect(() => failureOf(parseAlias(alias))).toThrow(new RegExp(alias.id));
});
