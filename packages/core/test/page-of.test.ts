import { type Page, pageOf } from "@postern/core/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";

/** What a store reads for the page after `after`: one key more than `limit`, if there are that many. */
const read = (keys: readonly number[], limit: number, after: number | null): readonly number[] =>
  keys.filter((key) => after === null || key > after).slice(0, limit + 1);

test("the pages contain every item once, in order, and all but the last are full", async () => {
  await fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.integer({ min: 1, max: 5 }), (unordered, limit) => {
      const keys = unordered.toSorted((a, b) => a - b);
      const listed: number[] = [];
      let after: number | null = null;
      do {
        const page: Page<number, number> = pageOf(read(keys, limit, after), limit, (key) => key);
        if (page.next !== null) expect(page.items).toHaveLength(limit);
        listed.push(...page.items);
        after = page.next;
      } while (after !== null);
      expect(listed).toEqual(keys);
    }),
  );
});

test("a list that ends with a full page has no further page", () => {
  expect(pageOf(["a", "b"], 2, (item) => item)).toEqual({ items: ["a", "b"], next: null });
});
