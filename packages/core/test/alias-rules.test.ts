import {
  ACCEPT_FROM,
  Alias,
  AliasRules,
  MAX_MESSAGES_LEFT,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  parseSender,
  Recipient,
} from "@postern/core";
import { parseAlias } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

const NOW = 1_700_000_000_000;
const address = (text: string) => valueOf(parseEmailAddress(text));

const time = fc.integer({ min: NOW - 3, max: NOW + 3 });
const rules: fc.Arbitrary<AliasRules> = fc.record({
  acceptFrom: fc.constantFrom(...ACCEPT_FROM),
  senders: fc
    .subarray(["bob@sender.example", "shop.example"])
    .map((all) => all.map((text) => valueOf(parseSender(text)))),
  activeUntil: fc.option(time),
  messagesLeft: fc.option(fc.nat(3)),
});
const wantedRules = fc.record(
  {
    acceptFrom: fc.constantFrom(...ACCEPT_FROM),
    senders: fc.constantFrom([], [valueOf(parseSender("shop.example"))]),
    activeUntil: fc.option(time),
    messagesLeft: fc.option(fc.integer({ min: 1, max: 3 })),
  },
  { requiredKeys: [] },
);

const account = valueOf(parseAccountId("account"));
const home = Recipient.adopt(
  { id: valueOf(parseRecipientId("home")), account, email: address("me@home.example"), nonce: "nonce" },
  NOW,
);
const created = valueOf(
  Alias.create(
    { id: valueOf(parseAliasId("alias")), account, email: address("shop@alias.example"), description: "" },
    valueOf(parseRecipientIds(["home"])),
    [home],
    NOW,
  ),
);
const alias: fc.Arbitrary<Alias> = fc
  .record({
    rules,
    active: fc.boolean(),
    deletedAt: fc.constantFrom(null, null, null, NOW),
    version: fc.integer({ min: 1, max: 9 }),
  })
  .map((fields) => ({ ...created, ...fields }));

describe("changing rules", () => {
  test("replaces the given rules, keeps the others, and makes no change if nothing differs", async () => {
    await fc.assert(
      fc.property(alias, wantedRules, (before, wanted) => {
        const changed = Alias.changeRules(before, wanted, NOW + 1);
        if (before.deletedAt !== null) {
          expect(failureOf(changed)).toEqual({ code: "alias_deleted" });
          return;
        }
        const after = valueOf(changed);
        expect(after.rules).toEqual({ ...before.rules, ...wanted });
        if (after !== before) {
          expect(after.rules).not.toEqual(before.rules);
          expect(after).toEqual({
            ...before,
            rules: after.rules,
            updatedAt: NOW + 1,
            version: before.version + 1,
          });
        }
        expect(valueOf(Alias.changeRules(after, wanted, NOW + 2))).toBe(after);
      }),
    );
  });

  test.each([
    [["a.example"], ["b.example"]],
    [["a.example"], ["a.example", "b.example"]],
    [
      ["a.example", "b.example"],
      ["b.example", "a.example"],
    ],
  ])("%j and %j are different lists", (before, after) => {
    const [one, other] = [before, after].map((all) => all.map((text) => valueOf(parseSender(text))));
    const changed = AliasRules.change({ ...AliasRules.none, senders: one ?? [] }, { senders: other });
    expect(changed.senders).toEqual(after);
  });
});

describe("an alias that ends", () => {
  test("accepts mail until then, and only while it is switched on and not deleted", async () => {
    await fc.assert(
      fc.property(alias, (each) => {
        const { activeUntil } = each.rules;
        const inTime = activeUntil === null || NOW < activeUntil;
        expect(Alias.accepts(each, NOW)).toBe(each.active && each.deletedAt === null && inTime);
      }),
    );
  });

  test("counts down, and is switched off with its last message", async () => {
    await fc.assert(
      fc.property(alias, (before) => {
        const after = Alias.takeMessage(before, NOW);
        const { messagesLeft } = before.rules;
        if (!Alias.accepts(before, NOW)) expect(after).toBeNull();
        else if (messagesLeft === null) expect(after).toBe(before);
        else {
          const left = messagesLeft - 1;
          expect(after).toEqual({
            ...before,
            rules: { ...before.rules, messagesLeft: left },
            active: left > 0,
            updatedAt: NOW,
            version: before.version + 1,
          });
        }
      }),
      { numRuns: 500 },
    );
  });

  test("is as if a message given back had never been counted, however many others are counted and given back", async () => {
    const taken = fc.array(fc.boolean(), { maxLength: 8 });
    await fc.assert(
      fc.property(alias, taken, (before, steps) => {
        fc.pre(Alias.accepts(before, NOW) && before.rules.messagesLeft !== 0);
        let [after, open] = [before, 0];
        for (const isTaken of [true, ...steps]) {
          const next = isTaken
            ? Alias.takeMessage(after, NOW)
            : open > 0
              ? Alias.giveMessageBack(after, NOW)
              : null;
          if (next === null) continue;
          open += isTaken ? 1 : -1;
          after = next;
        }
        for (; open > 0; open -= 1) after = Alias.giveMessageBack(after, NOW);
        const { version, updatedAt } = after;
        expect(after).toEqual({ ...before, version, updatedAt });
      }),
    );
  });

  test("is not switched on by a message given back after somebody switched it off, deleted it, or removed its limit", async () => {
    await fc.assert(
      fc.property(alias, (before) => {
        const given = Alias.giveMessageBack(before, NOW);
        if (before.deletedAt !== null || before.rules.messagesLeft === null) expect(given).toBe(before);
        if (before.rules.messagesLeft !== 0) expect(given.active).toBe(before.active);
        const taken = Alias.takeMessage(before, NOW);
        if (taken === null || taken.rules.messagesLeft === 0) return;
        const off = valueOf(Alias.change(taken, { active: false }, NOW));
        expect(Alias.giveMessageBack(off, NOW).active).toBe(false);
        const deleted = Alias.delete(taken, NOW);
        expect(Alias.giveMessageBack(deleted, NOW)).toBe(deleted);
      }),
    );
  });

  test("is switched off once its time is over, and nothing else changes", async () => {
    await fc.assert(
      fc.property(alias, (before) => {
        const ends = before.active && before.deletedAt === null && !Alias.accepts(before, NOW);
        const off = { ...before, active: false, updatedAt: NOW, version: before.version + 1 };
        expect(Alias.end(before, NOW)).toEqual(ends ? off : before);
        if (!ends) expect(Alias.end(before, NOW)).toBe(before);
      }),
    );
  });

  test("accepts mail again once it is switched on, whatever ended it; an end in the future stays", async () => {
    await fc.assert(
      fc.property(alias, (each) => {
        fc.pre(each.deletedAt === null);
        const on = valueOf(Alias.change(each, { active: true }, NOW));
        expect(Alias.accepts(on, NOW)).toBe(true);
        expect(Alias.takeMessage(on, NOW)).not.toBeNull();
        const { activeUntil, messagesLeft } = each.rules;
        expect(on.rules).toEqual({
          ...each.rules,
          activeUntil: activeUntil !== null && activeUntil > NOW ? activeUntil : null,
          messagesLeft: messagesLeft === 0 ? null : messagesLeft,
        });
        // Anything else leaves the end as it is.
        for (const wanted of [{ active: false }, { description: "other" }])
          expect(valueOf(Alias.change(each, wanted, NOW)).rules).toBe(each.rules);
      }),
    );
  });
});

describe("stored rules", () => {
  test("are read back, and default to the rules of a new alias if none are stored", async () => {
    await fc.assert(
      fc.property(alias, (each) => {
        expect(valueOf(parseAlias(JSON.parse(JSON.stringify(each))))).toEqual(each);
      }),
    );
    const { rules: _, ...older } = created;
    expect(valueOf(parseAlias(older))).toEqual(created);
    expect(valueOf(parseAlias({ ...older, rules: null }))).toEqual(created);
    expect(created.rules).toEqual({
      acceptFrom: "everybody",
      senders: [],
      activeUntil: null,
      messagesLeft: null,
    });
  });

  test.each([
    ["acceptFrom", { acceptFrom: "nobody" }],
    ["senders", { senders: ["bob@"] }],
    ["senders", { senders: Array(101).fill("shop.example") }],
    ["activeUntil", { activeUntil: -1 }],
    ["activeUntil", { activeUntil: 253_402_300_800_000 }],
    ["messagesLeft", { messagesLeft: -1 }],
    ["messagesLeft", { messagesLeft: MAX_MESSAGES_LEFT + 1 }],
  ])("are rejected with an invalid %s: %j", (field, changed) => {
    const issues = failureOf(parseAlias({ ...created, rules: { ...created.rules, ...changed } }));
    expect(issues).toMatchObject({
      code: "invalid_request",
      issues: [{ path: expect.arrayContaining(["rules", field]) }],
    });
  });

  test("are accepted up to the maximum that can be set", () => {
    const largest = {
      acceptFrom: "listed",
      senders: Array(100).fill("shop.example"),
      activeUntil: 253_402_300_799_999,
      messagesLeft: MAX_MESSAGES_LEFT,
    };
    expect(valueOf(parseAlias({ ...created, rules: largest })).rules).toEqual(largest);
  });
});
