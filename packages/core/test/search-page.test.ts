import { searchPage } from "@postern/core/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";

type Candidate = {
  readonly id: number;
  readonly email: string;
  readonly description: string;
  readonly website: string;
};

const candidate = (id: number, description: string): Candidate => ({
  id,
  email: "x@alias.example",
  description,
  website: "",
});

/** All pages, each with the number of candidates examined and the length of their descriptions. */
const pagesOf = (
  all: readonly Candidate[],
  limit: number,
  q: string | undefined,
  matches: (candidate: Candidate) => boolean,
) => {
  const pages: { items: readonly Candidate[]; examined: number; text: number }[] = [];
  let after: number | null = -1;
  while (after !== null) {
    let [examined, text] = [0, 0];
    const rest = all.filter(({ id }) => after === null || id > after);
    const { items, next }: { items: readonly Candidate[]; next: number | null } = searchPage(
      rest,
      limit,
      { q },
      (each) => {
        examined += 1;
        text += each.description.length;
        return matches(each);
      },
    );
    expect(next === null || next > after).toBe(true);
    pages.push({ items, examined, text });
    after = next;
  }
  return pages;
};

test("pages hold every match once, in order, and each examines a bounded amount", async () => {
  const description = fc.integer({ min: 0, max: 500 }).map((length) => "x".repeat(length));
  await fc.assert(
    fc.property(
      fc.array(description, { maxLength: 1_500, size: "max" }),
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom(undefined, "q"),
      fc.integer({ min: 1, max: 700 }),
      (descriptions, limit, q, every) => {
        const all = descriptions.map((text, id) => candidate(id, text));
        const matches = ({ id }: Candidate) => id % every === 0;
        const pages = pagesOf(all, limit, q, matches);
        expect(pages.flatMap(({ items }) => items)).toEqual(all.filter(matches));
        for (const { items, examined, text } of pages) {
          expect(items.length).toBeLessThanOrEqual(limit);
          expect(examined).toBeLessThanOrEqual(400);
          if (q !== undefined) expect(text).toBeLessThanOrEqual(20_500);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("a page that examined less than the limits allow is full or the last one", () => {
  const all = Array.from({ length: 350 }, (_, id) => candidate(id, "Shop"));
  const matches = ({ id }: Candidate) => id % 7 === 0;
  expect(pagesOf(all, 10, "shop", matches).map(({ items }) => items.length)).toEqual([10, 10, 10, 10, 10]);
});

test("stops after 20,000 code units of descriptions, but only with a search text", () => {
  const all = Array.from({ length: 100 }, (_, id) => candidate(id, "x".repeat(500)));
  expect(searchPage(all, 1, { q: "q" }, () => false)).toEqual({ items: [], next: 39 });
  expect(searchPage(all, 1, {}, () => false)).toEqual({ items: [], next: null });
});

test("takes no more candidates than a page needs", () => {
  const endless = function* () {
    for (let id = 0; ; id += 1) yield candidate(id, "");
  };
  expect(searchPage(endless(), 3, {}, () => true).items).toHaveLength(3);
  expect(searchPage(endless(), 3, {}, () => false)).toEqual({ items: [], next: 399 });
});
