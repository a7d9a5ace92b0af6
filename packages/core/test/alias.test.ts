import {
  type AccountId,
  Alias,
  AliasRules,
  type Ineligibility,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
  type RecipientId,
  type RecipientIds,
} from "@postern/core";
import { attachments, Tallies } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { accountId, recipientIds } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const NOW = 1_700_000_000_000;
const LATER = NOW + 1000;

type State = Ineligibility | "eligible" | "foreign";
const states = fc.array(
  fc.constantFrom<State>("eligible", "eligible", "unknown", "unverified", "inactive", "foreign"),
  { minLength: 40, maxLength: 40 },
);

const recipient = (account: AccountId, id: RecipientId, state: State = "eligible"): Recipient => {
  const email = valueOf(parseEmailAddress(`m-${Buffer.from(id).toString("hex").slice(0, 50)}@example.org`));
  const owner = state === "foreign" ? valueOf(parseAccountId(`not ${account}`.slice(0, 128))) : account;
  const added = Recipient.add({ id, account: owner, email, nonce: "nonce" }, NOW);
  return {
    ...added,
    verifiedAt: state === "unverified" ? null : NOW,
    active: state !== "inactive",
  };
};

const eligible = (account: AccountId, ids: RecipientIds) => ids.map((id) => recipient(account, id));

const identity = (account: AccountId) => ({
  id: valueOf(parseAliasId("alias-1")),
  account,
  email: valueOf(parseEmailAddress("shop@alias.example")),
  description: "",
});

const aliasOf = (account: AccountId, ids: RecipientIds): Alias =>
  valueOf(Alias.create(identity(account), ids, eligible(account, ids), NOW));

const idsOf = (alias: Alias) => alias.destinations.map(({ recipientId }) => recipientId);

describe("a new alias", () => {
  test("is active, at version 1, with all counters at 0, and forwards to exactly the listed recipients", async () => {
    await fc.assert(
      fc.property(accountId(), recipientIds(40), (account, ids) => {
        expect(aliasOf(account, ids)).toEqual({
          ...identity(account),
          website: "",
          active: true,
          rules: AliasRules.none,
          destinations: [...new Set(ids)].map((id) => ({
            recipientId: id,
            email: recipient(account, id).email,
          })),
          tallies: Tallies.none,
          createdAt: NOW,
          updatedAt: NOW,
          deletedAt: null,
          version: 1,
        });
      }),
    );
  });

  test("is refused for ineligible recipients", () => {
    const account = valueOf(parseAccountId("a"));
    expect(Alias.create(identity(account), valueOf(parseRecipientIds(["nobody"])), [], NOW)).toMatchObject({
      error: { code: "recipients_ineligible", recipients: [{ id: "nobody", reason: "unknown" }] },
    });
  });
});

describe("replacing the recipients of an alias", () => {
  const lists = fc.tuple(accountId(), recipientIds(40), recipientIds(40));

  test("leaves exactly the listed recipients, in order; a repeated id counts where it first appears", async () => {
    await fc.assert(
      fc.property(lists, ([account, before, after]) => {
        const replaced = Alias.replaceRecipients(
          aliasOf(account, before),
          after,
          eligible(account, after),
          LATER,
        );
        expect(idsOf(valueOf(replaced))).toEqual([...new Set(after)]);
      }),
    );
  });

  test("changes nothing else except the version and the time of the last change", async () => {
    await fc.assert(
      fc.property(lists, ([account, before, after]) => {
        const alias = { ...aliasOf(account, before), description: "shop", active: false, version: 7 };
        const found = eligible(account, after);
        const { destinations, ...rest } = valueOf(Alias.replaceRecipients(alias, after, found, LATER));
        const same = idsOf(alias).join("\0") === [...new Set(after)].join("\0");
        expect({ ...rest, destinations: alias.destinations }).toEqual(
          same ? alias : { ...alias, updatedAt: LATER, version: 8 },
        );
        expect(destinations.map(({ email }) => email)).toEqual(
          [...new Set(after)].map((id) => recipient(account, id).email),
        );
      }),
    );
  });

  test("with its current list returns the same alias, with nothing to save", async () => {
    await fc.assert(
      fc.property(accountId(), recipientIds(40), (account, ids) => {
        const alias = aliasOf(account, ids);
        expect(valueOf(Alias.replaceRecipients(alias, ids, eligible(account, ids), LATER))).toBe(alias);
        const again = valueOf(parseRecipientIds([...new Set([...ids, ...ids])]));
        expect(valueOf(Alias.replaceRecipients(alias, again, eligible(account, ids), LATER))).toBe(alias);
      }),
    );
  });

  test("with the same recipients in another order is a change", () => {
    const account = valueOf(parseAccountId("a"));
    const alias = aliasOf(account, valueOf(parseRecipientIds(["x", "y"])));
    const turned = valueOf(parseRecipientIds(["y", "x"]));
    const replaced = valueOf(Alias.replaceRecipients(alias, turned, eligible(account, turned), LATER));
    expect(idsOf(replaced)).toEqual(["y", "x"]);
    expect(replaced.version).toBe(2);
  });

  test("with more or fewer of the same recipients is a change", () => {
    const account = valueOf(parseAccountId("a"));
    const [one, two] = [valueOf(parseRecipientIds(["x"])), valueOf(parseRecipientIds(["x", "y"]))];
    for (const [before, after] of [
      [one, two],
      [two, one],
    ] as const) {
      const replaced = Alias.replaceRecipients(
        aliasOf(account, before),
        after,
        eligible(account, two),
        LATER,
      );
      expect(idsOf(valueOf(replaced))).toEqual(after);
    }
  });

  test("names every ineligible recipient once, in the order listed, with its reason", async () => {
    await fc.assert(
      fc.property(accountId(), recipientIds(40), recipientIds(40), states, (account, before, ids, states) => {
        const listed = [...new Set(ids)].map((id, i) => ({ id, state: states[i] ?? "eligible" }));
        const found = listed
          .filter(({ state }) => state !== "unknown")
          .map(({ id, state }) => recipient(account, id, state))
          .reverse();
        const offenders = listed
          .filter(({ state }) => state !== "eligible")
          .map(({ id, state }) => ({ id, reason: state === "foreign" ? "unknown" : state }));
        const replaced = Alias.replaceRecipients(aliasOf(account, before), ids, found, LATER);
        if (offenders.length === 0) expect(replaced.isOk()).toBe(true);
        else
          expect(failureOf(replaced)).toEqual({
            code: "recipients_ineligible",
            recipients: offenders,
          });
      }),
    );
  });

  test("is refused if the alias is deleted, whatever the recipients are", () => {
    const account = valueOf(parseAccountId("a"));
    const deleted = { ...aliasOf(account, valueOf(parseRecipientIds(["x"]))), deletedAt: NOW };
    expect(
      failureOf(Alias.replaceRecipients(deleted, valueOf(parseRecipientIds(["nobody"])), [], LATER)),
    ).toEqual({
      code: "alias_deleted",
    });
  });
});

describe("reassigning", () => {
  const account = valueOf(parseAccountId("a"));
  const [from, to] = ["from", "to"].map((id) => valueOf(parseRecipientId(id))) as [RecipientId, RecipientId];
  const target = recipient(account, to);

  test("puts the other recipient in the same place, or only detaches the first if the other is already attached", async () => {
    await fc.assert(
      fc.property(recipientIds(10), fc.nat(), fc.option(fc.nat()), (others, place, present) => {
        const list: RecipientId[] = [...new Set(others)].filter((id) => id !== from && id !== to);
        if (present !== null) list.splice(present % (list.length + 1), 0, to);
        list.splice(place % (list.length + 1), 0, from);
        const alias = aliasOf(account, valueOf(parseRecipientIds(list)));
        const reassigned = valueOf(Alias.reassign(alias, from, to, [target], LATER));
        const left = list.filter((id) => id !== from);
        expect(idsOf(reassigned)).toEqual(
          present === null ? list.map((id) => (id === from ? to : id)) : left,
        );
        expect(reassigned).toMatchObject({ version: 2, updatedAt: LATER });
        expect(reassigned.destinations.find(({ recipientId }) => recipientId === to)?.email).toBe(
          target.email,
        );
      }),
    );
  });

  test("leaves an alias unchanged if it is deleted or the recipient is not attached", () => {
    const other = aliasOf(account, valueOf(parseRecipientIds(["x"])));
    const deleted = { ...aliasOf(account, valueOf(parseRecipientIds(["from"]))), deletedAt: NOW };
    for (const alias of [other, deleted]) {
      expect(valueOf(Alias.reassign(alias, from, to, [], LATER))).toBe(alias);
    }
  });

  test("a recipient to itself changes nothing", () => {
    const alias = aliasOf(account, valueOf(parseRecipientIds(["x", "from", "to"])));
    expect(valueOf(Alias.reassign(alias, from, from, [recipient(account, from)], LATER))).toBe(alias);
  });

  test("is refused if the other recipient is ineligible", () => {
    const alias = aliasOf(account, valueOf(parseRecipientIds(["from"])));
    const refused = Alias.reassign(alias, from, to, [recipient(account, to, "inactive")], LATER);
    expect(failureOf(refused)).toMatchObject({ recipients: [{ id: to, reason: "inactive" }] });
  });
});

describe("changing the settings of an alias", () => {
  const alias = aliasOf(valueOf(parseAccountId("a")), valueOf(parseRecipientIds(["x"])));

  test.each([
    [{ description: "shop" }, { description: "shop", active: true }],
    [{ active: false }, { description: "", active: false }],
    [
      { description: "shop", active: false },
      { description: "shop", active: false },
    ],
  ])("%j changes this and nothing else", (wanted, settings) => {
    expect(valueOf(Alias.change(alias, wanted, LATER))).toEqual({
      ...alias,
      ...settings,
      updatedAt: LATER,
      version: 2,
    });
  });

  test.each([[{}], [{ description: "" }], [{ active: true }], [{ description: "", active: true }]])(
    "%j changes nothing",
    (wanted) => {
      expect(valueOf(Alias.change(alias, wanted, LATER))).toBe(alias);
    },
  );

  test("is refused if the alias is deleted", () => {
    const refused = Alias.change({ ...alias, deletedAt: NOW }, {}, LATER);
    expect(failureOf(refused)).toEqual({ code: "alias_deleted" });
  });
});

describe("deleting and restoring an alias", () => {
  const account = valueOf(parseAccountId("a"));
  const ids = valueOf(parseRecipientIds(["x", "y"]));
  const alias = aliasOf(account, ids);
  const deleted = Alias.delete(alias, LATER);

  test("deleting is idempotent, and keeps the time of the first deletion", () => {
    expect(deleted).toEqual({ ...alias, deletedAt: LATER, updatedAt: LATER, version: 2 });
    expect(Alias.delete(deleted, LATER + 1)).toBe(deleted);
  });

  test("restores with the given recipients", () => {
    for (const list of [ids, valueOf(parseRecipientIds(["z"]))]) {
      const restored = valueOf(Alias.restore(deleted, list, eligible(account, list), LATER + 1));
      expect(restored).toMatchObject({ deletedAt: null, updatedAt: LATER + 1, version: 3 });
      expect(idsOf(restored)).toEqual(list);
    }
  });

  test("restoring an alias that is not deleted only replaces its recipients", () => {
    expect(valueOf(Alias.restore(alias, ids, eligible(account, ids), LATER))).toBe(alias);
    const list = valueOf(parseRecipientIds(["y"]));
    const restored = valueOf(Alias.restore(alias, list, eligible(account, list), LATER));
    expect(idsOf(restored)).toEqual(["y"]);
  });

  test("does not restore with an ineligible recipient", () => {
    const found = [recipient(account, valueOf(parseRecipientId("x")), "inactive")];
    expect(failureOf(Alias.restore(deleted, ids, found, LATER))).toEqual({
      code: "recipients_ineligible",
      recipients: [
        { id: "x", reason: "inactive" },
        { id: "y", reason: "unknown" },
      ],
    });
  });
});

test("updatedAt is the time of the change, but never earlier than the last change, even if the clock goes back", async () => {
  const [account, ids] = [valueOf(parseAccountId("a")), valueOf(parseRecipientIds(["x"]))];
  const found = eligible(account, ids);
  const change = fc.constantFrom<(alias: Alias, now: number) => Alias>(
    (alias, now) => Alias.change(alias, { active: !alias.active }, now).unwrapOr(alias),
    (alias, now) => Alias.delete(alias, now),
    (alias, now) => valueOf(Alias.restore(alias, ids, found, now)),
  );
  const step = fc.tuple(change, fc.integer({ min: -1_000, max: 1_000 }));
  await fc.assert(
    fc.property(fc.array(step), (steps) => {
      let alias = aliasOf(account, ids);
      for (const [change, later] of steps) {
        const before = alias;
        alias = change(before, NOW + later);
        const isChanged = alias.version > before.version;
        expect(alias.updatedAt).toBe(isChanged ? Math.max(NOW + later, before.updatedAt) : before.updatedAt);
      }
    }),
  );
});

describe("attachments", () => {
  test("are the differences between the two lists", async () => {
    await fc.assert(
      fc.property(accountId(), recipientIds(10), recipientIds(10), (account, before, after) => {
        const { attached, detached } = attachments(aliasOf(account, before), aliasOf(account, after));
        expect(new Set(attached)).toEqual(new Set(after).difference(new Set(before)));
        expect(new Set(detached)).toEqual(new Set(before).difference(new Set(after)));
        expect(attached).toHaveLength(new Set(attached).size);
      }),
    );
  });

  test("are all recipients for a new alias, and none for a deleted one", () => {
    const alias = aliasOf(valueOf(parseAccountId("a")), valueOf(parseRecipientIds(["x", "y"])));
    const deleted = { ...alias, deletedAt: NOW };
    expect(attachments(null, alias)).toEqual({ attached: ["x", "y"], detached: [] });
    expect(attachments(null, deleted)).toEqual({ attached: [], detached: [] });
    expect(attachments(alias, deleted)).toEqual({ attached: [], detached: ["x", "y"] });
    expect(attachments(deleted, alias)).toEqual({ attached: ["x", "y"], detached: [] });
  });
});

describe("RecipientIds", () => {
  test.each([
    ["missing", undefined],
    ["null", null],
    ["a string", "x"],
    ["an object", { 0: "x", length: 1 }],
    ["empty", []],
    ["41 ids", Array.from({ length: 41 }, (_, i) => `r${i}`)],
    ["with a number", ["x", 7]],
    ["with an empty id", ["x", ""]],
    ["with null", [null]],
  ])("refuses an invalid list: %s", (_, ids) => {
    expect(failureOf(parseRecipientIds(ids)).code).toBe("invalid_request");
  });

  test("accepts 1 to 40 ids, repeated or not", () => {
    for (const ids of [["x"], Array.from({ length: 40 }, (_, i) => `r${i}`), ["x", "x"]]) {
      expect(valueOf(parseRecipientIds(ids))).toEqual(ids);
    }
  });

  test("explains why a list must not be empty", () => {
    expect(failureOf(parseRecipientIds([])).issues[0]?.reason).toBe(
      "must list at least 1 recipient: mail must have somewhere to go",
    );
  });
});
