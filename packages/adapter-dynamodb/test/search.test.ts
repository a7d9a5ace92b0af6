import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  type AccountId,
  Alias,
  type AliasId,
  compareIds,
  NO_LIMITS,
  parseAccountId,
  parseEmailAddress,
} from "@postern/core";
import { AliasFilter, type Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../src/database.ts";
import { soughtAliases } from "../src/search-index.ts";
import { searchItems } from "../src/search-items.ts";
import { deadline } from "../src/send-until-deadline.ts";
import { forgetSearchable, scan, withoutSearchItems } from "./support/items.ts";
import { openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useMeteredStore } from "./support/use-metered-store.ts";

/* Searches find aliases by search items, however many others there are. */

const [owner, other] = [recipient("owner"), recipient("other")];

const { dynamo, documents, metered, table, store } = useMeteredStore();

beforeEach(async () => {
  for (const each of [owner, other]) valueOf(await store().recipients.create(each, NO_LIMITS));
});

const described = (name: string, description: string, recipients = [owner]): Alias => ({
  ...alias(name, recipients),
  description,
});

const newestFirst = (aliases: readonly Alias[]): readonly AliasId[] =>
  aliases.map(({ id }) => id).sort((a, b) => compareIds(b, a));

const list = async (filter: AliasFilter, limit = 1) => {
  const ids: AliasId[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = valueOf(await store().aliases.list(ACCOUNT, { limit, after }, filter));
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids;
};

const searchItemsOf = async (account: AccountId) =>
  (await scan(documents(), table())).filter(
    ({ pk, sk }) => pk === `account#${account}` && sk.startsWith("search#"),
  );

/** Some of them in one transaction. */
const create = async (...aliases: readonly Alias[]) => {
  const created = await Promise.all(aliases.map((each) => store().aliases.create(each, NO_LIMITS)));
  for (const each of created) valueOf(each);
};

/** Needles among newer hay. */
const hide = async (...needles: readonly Alias[]) => {
  const hay = Array.from({ length: 15 }, (_, n) => described(`z-${n}`, "hay"));
  await create(...needles, ...hay);
  metered();
};

/** Some begin with others, are equal once they are normalized, or have digits in common. */
const WORDS = [
  "shop",
  "Shopping",
  "№1",
  "no1",
  "ﬁne",
  "fi",
  "漢字",
  "a",
  "incomprehensible",
  "incomprehensibly",
];
const LONG = "one two three four five six seven eight nine ten shop";
const description = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" ")),
  fc.constantFrom(LONG, `${LONG} fine`),
);
const step = fc.record({
  change: fc.constantFrom("create", "create", "describe", "delete or restore", "erase"),
  which: fc.nat({ max: 5 }),
  description,
});
const text = fc.oneof(
  fc
    .tuple(fc.constantFrom(...WORDS, LONG, "alias-1@alias.example"), fc.integer({ min: 1, max: 20 }))
    .map(([word, length]) => [...word].slice(0, length).join("").trim()),
  fc
    .uniqueArray(fc.constantFrom(...WORDS, "seven"), { minLength: 2, maxLength: 3 })
    .map((words) => words.join(" ")),
);

test("the index proposes all matches, whatever was created, changed and erased, and nothing is left over", async () => {
  const onCorruptItem = () => expect.unreachable("no item is corrupt");
  const direct = DynamoDBDocumentClient.from(dynamo().client());
  const database: Database = { documents: direct, table: table(), timeoutMs: 30_000, onCorruptItem };
  let [runs, serial] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.array(text, { minLength: 1, maxLength: 4 }),
      async (steps, texts) => {
        // What a failed run leaves must not make the next one fail.
        runs += 1;
        const account = valueOf(parseAccountId(`account-${runs}`));
        valueOf(await store().recipients.create({ ...owner, account }, NO_LIMITS));
        let all: readonly Alias[] = [];
        for (const { change, which, description } of steps) {
          const before = all[which % all.length];
          const others = all.filter((each) => each !== before);
          if (before === undefined || change === "create") {
            serial += 1;
            const created = { ...described(`alias-${serial}`, description), account };
            valueOf(await store().aliases.create(created, NO_LIMITS));
            all = [...all, created];
          } else if (change === "erase") {
            valueOf(await store().aliases.erase(before));
            all = others;
          } else {
            const version = before.version + 1;
            const switched =
              before.deletedAt === null ? Alias.delete(before, NOW) : { ...before, deletedAt: null, version };
            const after = change === "describe" ? { ...before, description, version } : switched;
            valueOf(await store().aliases.save(before, after));
            all = [...others, after];
          }
        }
        for (const q of texts) {
          const matching = newestFirst(all.filter(AliasFilter.finder({ q })));
          const proposed = valueOf(await soughtAliases(database, account, q, deadline(30_000)));
          expect(
            proposed?.filter((id) => matching.includes(id)),
            q,
          ).toEqual(matching);
        }
        const stored = (await searchItemsOf(account)).map(({ sk, text }) => ({ sk, text }));
        const expected = all.flatMap(searchItems).map(({ sk, text }) => ({ sk, text }));
        const bySortKey = (a: { sk: string }, b: { sk: string }) => (a.sk < b.sk ? -1 : 1);
        expect(stored.toSorted(bySortKey)).toEqual(expected.toSorted(bySortKey));
      },
    ),
    { numRuns: runsWhole(import.meta.url) ? 20 : 5 },
  );
  direct.destroy();
});

test("the items have room for everything that an alias can have", async () => {
  const many = Array.from({ length: 40 }, (_, n) => recipient(`many-${n}`));
  for (const each of await Promise.all(many.map((one) => store().recipients.create(one, NO_LIMITS))))
    valueOf(each);
  const [first, second] = [
    "alpha bravo charlie delta echo foxtrot golf hotel",
    "india juliett kilo lima mike november oscar papa",
  ];
  const wide = described("wide", first, many);
  valueOf(await store().aliases.create(wide, NO_LIMITS));
  const after = { ...wide, description: second, destinations: alias("x", [owner]).destinations, version: 2 };
  valueOf(await store().aliases.save(wide, after));
  expect(await list({ deleted: false, q: "november" })).toEqual([wide.id]);
  expect(await list({ deleted: false, q: "hotel" })).toEqual([]);
  const again = { ...after, description: first, destinations: wide.destinations, version: 3 };
  valueOf(await store().aliases.save(after, again));
  metered();
  valueOf(await store().aliases.create(described("another", ""), NO_LIMITS));
  valueOf(await store().aliases.erase(again));
  // The alias, two items for its address, four tally items, nine search items, 40 recipients and their items, and the count.
  expect(metered().map(({ written }) => written.length)).toContain(97);
  expect(await searchItemsOf(ACCOUNT)).toHaveLength(1);
});

test("keys of search items reveal neither words nor addresses", () => {
  const words = ["telephone", "incomprehensibly"];
  const each = described("id", words.join(" "));
  const email = valueOf(parseEmailAddress("secretive@alias.example"));
  for (const { sk } of searchItems({ ...each, email })) {
    expect(sk).toMatch(/^search#(word#[0-9a-f]{1,12}|address#[0-9a-f]{4})\tid$/);
  }
});

describe("an alias among many newer ones is found", () => {
  const needle = described("needle", "my favourite shop", [other]);

  test("by the beginnings of its words and of its address, on the first page, reading next to nothing", async () => {
    await hide(needle);
    for (const q of ["favour", "SHOP my", "need", "needle@alias.example", "f"]) {
      const page = valueOf(
        await store().aliases.list(ACCOUNT, { limit: 10, after: null }, { deleted: false, q }),
      );
      expect(page, q).toMatchObject({ items: [needle], next: null });
      // The newest aliases; at first, whether there are search items; at most three queries; the alias and its tally items.
      expect(
        metered().reduce((sum, { units }) => sum + units, 0),
        q,
      ).toBeLessThanOrEqual(13);
    }
  });

  test("by other conditions too, and not by words that it does not have", async () => {
    const old = { ...described("needle-2", "shop"), deletedAt: NOW };
    const off = { ...described("needle-3", "shop"), active: false };
    await hide(needle, old, off);
    expect(await list({ deleted: false, q: "shop" })).toEqual([off.id, needle.id]);
    expect(await list({ deleted: false, q: "shop", active: true })).toEqual([needle.id]);
    expect(await list({ deleted: true, q: "shop" })).toEqual([old.id]);
    expect(await list({ deleted: false, q: "shop", recipient: other.id })).toEqual([needle.id]);
    expect(await list({ deleted: true, q: "shop", recipient: other.id })).toEqual([]);
    expect(await list({ deleted: false, q: "shop window" })).toEqual([]);
    expect(await list({ deleted: false, q: "hop" })).toEqual([]);
  });

  test("on pages of any size", async () => {
    const needles = Array.from({ length: 30 }, (_, n) => ({
      ...described(`needle-${String(n).padStart(2, "0")}`, "shop"),
      active: n % 3 === 0,
    }));
    await hide(...needles);
    for (const limit of [1, 3, 7, 100]) {
      expect(await list({ deleted: false, q: "shop" }, limit)).toEqual(newestFirst(needles));
      expect(await list({ deleted: false, q: "shop", active: true }, limit)).toEqual(
        newestFirst(needles.filter(({ active }) => active)),
      );
    }
  });

  test("only by its search items, once the table says that they are complete", async () => {
    await hide(needle);
    await withoutSearchItems(documents(), table(), needle);
    expect(await list({ deleted: false, q: "favourite" })).toEqual([]);
    await forgetSearchable(documents(), table());
    // A store that has seen the table complete does not look again.
    expect(await list({ deleted: false, q: "favourite" })).toEqual([]);
    const restarted = openStore(dynamo().client(), table());
    // Less than the hay, so that the newest aliases alone do not contain the needle.
    const page = { limit: 10, after: null };
    expect(
      valueOf(await restarted.aliases.list(ACCOUNT, page, { deleted: false, q: "favourite" })).items,
    ).toEqual([needle]);
    restarted.close();
  });
});
