import { memoryStore } from "@postern/adapter-memory";
import {
  Alias,
  type AliasId,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
} from "@postern/core";
import { AliasFilter, type Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { beforeAll, expect, test } from "vitest";

/** Of which more have different addresses than the index merges. */
const MANY = 6_000;

const account = valueOf(parseAccountId("account"));
const recipient: Recipient = {
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId("recipient")),
      account,
      email: valueOf(parseEmailAddress("me@home.example")),
      nonce: "nonce",
    },
    0,
  ),
  verifiedAt: 0,
};

const aliasNumber = (n: number): Alias => {
  const identity = {
    id: valueOf(parseAliasId(`alias-${String(n).padStart(5, "0")}`)),
    account,
    email: valueOf(parseEmailAddress(`${n % 2 ? "Odd" : "even"}${n}@alias.example`)),
    description: `All-n${n}${n % 3 ? "" : " THIRD"}${n % 5 ? "" : " fifth"}${n < 200 ? " old" : ""}${n === MANY / 2 ? " needle" : ""}`,
  };
  const ids = valueOf(parseRecipientIds([recipient.id]));
  return valueOf(Alias.create(identity, ids, [recipient], 0));
};

const store = memoryStore();

const pagesOf = async (filter: AliasFilter, limit: number): Promise<readonly Page<Alias, AliasId>[]> => {
  const pages: Page<Alias, AliasId>[] = [];
  for (let after: AliasId | null = null; ; ) {
    const page: Page<Alias, AliasId> = valueOf(await store.aliases.list(account, { limit, after }, filter));
    pages.push(page);
    if (page.next === null) return pages;
    after = page.next;
  }
};

/** Newest first. */
const all = Array.from({ length: MANY }, (_, n) => aliasNumber(MANY - 1 - n));

/** Ordered so that some are newer than all before them, and some are not. */
const shuffled = [...all.filter((_, n) => n % 3 === 0).reverse(), ...all.filter((_, n) => n % 3 !== 0)];

beforeAll(async () => {
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  for (const alias of shuffled) valueOf(await store.aliases.create(alias, NO_LIMITS));
});

test("a list has all aliases, newest first, in full pages", async () => {
  const pages = await pagesOf({ deleted: false }, 100);
  expect(pages.flatMap(({ items }) => items)).toEqual(all);
  expect(pages).toHaveLength(MANY / 100);
});

test.for<[q: string, limit: number, pages: number]>([
  ["needle", 10, 1],
  ["needle third all", 10, 1],
  ["old", 100, 2],
  ["old third", 10, 7],
  ["n77", 5, 3],
  ["ODD77@", 10, 1],
  ["nothing", 10, 1],
  ["all nothing", 10, 1],
  ["third", 100, 20],
  ["all", 100, 60],
  // Comparing 400 aliases would not fill a page.
  ["fifth", 100, 12],
  ["third fifth", 100, 4],
  // Too many for the index: a page compares 400.
  ["odd", 100, 30],
])("%j is found in pages of %d", async ([q, limit, count]) => {
  const filter = { deleted: false, q };
  const pages = await pagesOf(filter, limit);
  expect(pages.flatMap(({ items }) => items)).toEqual(all.filter(AliasFilter.matching(filter)));
  expect(pages).toHaveLength(count);
});

test("the index follows changes and erasures, even if they are made between two searches", async () => {
  const found = async (q: string) =>
    (await pagesOf({ deleted: false, q }, 100)).flatMap(({ items }) => items.map(({ id }) => id));
  const [alias] = all.filter(({ description }) => description.endsWith("needle"));
  if (alias === undefined) expect.unreachable("one is the needle");
  const after = { ...alias, description: "haystack", version: 2 };
  valueOf(await store.aliases.save(alias, after));
  expect([await found("needle"), await found("haystack")]).toEqual([[], [alias.id]]);
  valueOf(await store.aliases.erase(after));
  expect([await found("haystack"), await found(alias.email)]).toEqual([[], []]);
});
