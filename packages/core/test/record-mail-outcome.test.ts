import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { account, alias, service, storedAlias, useAccount } from "./support/account.ts";

useAccount();

describe("recordMailOutcome", () => {
  const record = (more: object = {}) =>
    service().recordMailOutcome({
      alias: { account, id: alias.id },
      eventId: "event-1",
      outcome: "bounced",
      at: 5,
      ...more,
    });

  test("counts an event once, by id or by address, and changes nothing else", async () => {
    expect(valueOf(await record())).toBe("recorded");
    expect(valueOf(await record({ alias: { email: alias.email.toUpperCase() } }))).toBe("duplicate");
    expect(valueOf(await record({ eventId: "event-2", at: 3 }))).toBe("recorded");
    expect(await storedAlias()).toEqual({
      ...alias,
      tallies: { ...alias.tallies, bounced: { count: 2, lastAt: 5 } },
    });
  });

  test.each([
    ["an alias without an id or an address", { alias: {} }],
    ["an unknown outcome", { outcome: "lost" }],
    ["a time before 1970", { at: -1 }],
    ["half a millisecond", { at: 0.5 }],
    ["an empty event id", { eventId: "" }],
  ])("refuses %s", async (_, bad) => {
    expect(failureOf(await record(bad)).code).toBe("invalid_request");
    expect(await storedAlias()).toEqual(alias);
  });

  test("reports an unknown alias", async () => {
    expect(failureOf(await record({ alias: { email: "nobody@alias.example" } })).code).toBe(
      "alias_not_found",
    );
  });
});
