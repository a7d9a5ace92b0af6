import { Alias } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { account, alias, ports, service, store, storedAlias, useAccount } from "./support/account.ts";

useAccount();

const update = (wanted: object) => service().updateAliasRules({ account, aliasId: alias.id, ...wanted });

const NONE = { acceptFrom: "everybody", senders: [], activeUntil: null, messagesLeft: null };

describe("updateAliasRules", () => {
  test("changes the given rules, and leaves the rest unchanged", async () => {
    expect(alias.rules).toEqual(NONE);
    const listed = valueOf(
      await update({ acceptFrom: "listed", senders: ["Friend@SENDER.example", "Shop.Example"] }),
    );
    expect(listed).toEqual({
      ...alias,
      rules: { ...NONE, acceptFrom: "listed", senders: ["Friend@sender.example", "shop.example"] },
      updatedAt: ports.clock.now(),
      version: 2,
    });
    const activeUntil = ports.clock.now() + 1;
    const ends = valueOf(await update({ activeUntil, messagesLeft: 1 }));
    expect(ends).toEqual({ ...listed, rules: { ...listed.rules, activeUntil, messagesLeft: 1 }, version: 3 });
    expect(await storedAlias()).toEqual(ends);
    expect(valueOf(await update(NONE)).rules).toEqual(NONE);
  });

  test("lists each sender once", async () => {
    const senders = ["a@sender.example", "shop.example", "A@sender.example", "SHOP.example"];
    expect(valueOf(await update({ senders })).rules.senders).toEqual(["A@sender.example", "shop.example"]);
  });

  test("writes nothing if nothing changes", async () => {
    valueOf(await update({ senders: ["shop.example"], messagesLeft: 2 }));
    const save = vi.spyOn(store.aliases, "save");
    expect(valueOf(await update({ senders: ["SHOP.example"], acceptFrom: "everybody" })).version).toBe(2);
    expect(valueOf(await update({})).version).toBe(2);
    expect(save).not.toHaveBeenCalled();
  });

  test("accepts the documented maximums", async () => {
    const senders = Array.from({ length: 100 }, (_, n) => `s${n}.example`);
    const largest = { senders, messagesLeft: 1_000_000, activeUntil: 253_402_300_799_999 };
    expect(valueOf(await update(largest)).rules).toMatchObject(largest);
  });

  test.each([
    ["acceptFrom", "nobody", "must be one of: everybody, written_to, listed"],
    ["senders", Array(101).fill("shop.example"), "must be at most 100 senders"],
    ["messagesLeft", 0, "must be at least 1: to stop mail now, switch the alias off"],
    ["messagesLeft", 1_000_001, "must be at most 1000000"],
    ["messagesLeft", 1.5, "must be a whole number"],
    ["activeUntil", 253_402_300_800_000, "must be in milliseconds since 1970, and before the year 10000"],
    ["activeUntil", 1, "must be in the future: to stop mail now, switch the alias off"],
    ["activeUntil", "tomorrow", "must be a number"],
  ])("refuses the %s %j", async (name, value, reason) => {
    expect(failureOf(await update({ [name]: value }))).toEqual({
      code: "invalid_request",
      issues: [{ path: [name], reason }],
    });
    expect(await storedAlias()).toEqual(alias);
  });

  test("refuses the current time as an end, and a sender that is neither an address nor a domain", async () => {
    expect(failureOf(await update({ activeUntil: ports.clock.now() }))).toMatchObject({
      issues: [{ path: ["activeUntil"] }],
    });
    expect(failureOf(await update({ senders: ["shop.example", "shop"] }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["senders", "1"] }],
    });
  });

  test("refuses a stale version, a deleted alias, and one of another account", async () => {
    expect(failureOf(await update({ messagesLeft: 1, expectedVersions: [2] })).code).toBe(
      "precondition_failed",
    );
    expect(failureOf(await update({ messagesLeft: 1, account: "other" })).code).toBe("alias_not_found");
    await service().deleteAlias({ account, aliasId: alias.id });
    expect(failureOf(await update({ messagesLeft: 1 })).code).toBe("alias_deleted");
  });
});

test("an alias whose time is over accepts no mail until it is switched on again", async () => {
  const resolve = () => service().resolveAlias({ address: alias.email });
  valueOf(await update({ activeUntil: ports.clock.now() + 10 }));
  ports.clock.advance(9);
  expect(valueOf(await resolve()).alias.rules.activeUntil).toBe(ports.clock.now() + 1);
  ports.clock.advance(1);
  const over = { code: "alias_inactive", account, aliasId: alias.id, isOver: true };
  expect(failureOf(await resolve())).toEqual(over);
  const on = valueOf(await service().updateAlias({ account, aliasId: alias.id, active: true }));
  expect(on).toMatchObject({ active: true, rules: NONE, version: 3 });
  expect(valueOf(await resolve()).alias).toEqual(Alias.state(on));
});
