import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sortedList } from "../src/sorted-list.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 3 });
const change = fc.record({ add: fc.boolean(), text });

const list = fc.uniqueArray(text);
const changes = fc.array(change, { maxLength: 60 });

test("a list in parts behaves like one sorted array", async () => {
  await fc.assert(
    fc.property(
      list,
      changes,
      text,
      fc.integer({ min: 1, max: 5 }),
      (first, changes, sought, longestPart) => {
        const list = sortedList<string>((one) => (other) => other < one, first.toSorted(), longestPart);
        const expected = new Set(first);
        for (const { add, text } of changes) {
          list[add ? "add" : "delete"](text);
          expected[add ? "add" : "delete"](text);
        }
        const sorted = [...expected].sort();
        expect([...list.before(null)]).toEqual(sorted.toReversed());
        expect([...list.before(sought)]).toEqual(sorted.filter((each) => each < sought).toReversed());
        expect([...list.from(sought)]).toEqual(sorted.filter((each) => each >= sought));
      },
    ),
  );
});
