import { compareIds } from "@postern/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { beginnings } from "../src/beginnings.ts";
import { newestFirst } from "../src/newest-first.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 });
/** JavaScript orders the last two differently from `compareIds`. */
const id = fc.string({ unit: fc.constantFrom("1", "2", "\u{10000}", "\uffff"), minLength: 1, maxLength: 2 });
const entry = fc.tuple(text, id);

test("ids are found by the beginnings of their texts, newest first, each once", async () => {
  await fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 20 }),
      fc.array(fc.record({ change: fc.constantFrom("add", "remove"), entry }), { maxLength: 60 }),
      text,
      fc.option(id),
      (first, changes, start, before) => {
        const index = beginnings(first);
        const expected = new Map(first.map((each) => [each.join(), each]));
        for (const { change, entry } of changes) {
          index[change](...entry);
          if (change === "add") expected.set(entry.join(), entry);
          else expected.delete(entry.join());
        }
        const found = [...expected.values()].filter(([text]) => text.startsWith(start));
        const texts = new Set(found.map(([text]) => text)).size;
        const ids = new Set(found.map(([, id]) => id));
        expect([...newestFirst(index.find(start, texts) ?? [], before)]).toEqual(
          [...ids]
            .filter((id) => before === null || compareIds(id, before) < 0)
            .sort((a, b) => compareIds(b, a)),
        );
        if (texts > 0) expect(index.find(start, texts - 1)).toBeNull();
      },
    ),
  );
});
