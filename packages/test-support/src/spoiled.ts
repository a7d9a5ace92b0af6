import { KEY_LIKE_IDS } from "@postern/core/testing";
import * as fc from "fast-check";

const odd = fc.oneof(
  fc.constantFrom(undefined, null, "", true, [], [undefined], {}, -1, 0, -0, 1, 1.5, Number.NaN, Infinity),
  fc.constantFrom(2 ** 53 - 1, 2 ** 53, 8.64e15, 8.64e15 + 1, "everybody", "written_to", "queued", [
    "me@home.example",
  ]),
  fc.constantFrom("me@home.example", "Me@Home.Example", "me@home", "a\0b", "x".repeat(128), "x".repeat(129)),
  fc.constantFrom(...KEY_LIKE_IDS),
  fc.anything(),
);

/** The data, with something possibly missing, added, or replaced. */
export const spoiled = (data: unknown): fc.Arbitrary<unknown> => {
  if (typeof data !== "object" || data === null) return fc.oneof(fc.constant(data), odd);
  const entries: readonly (readonly [string, unknown])[] = Object.entries(data);
  if (entries.length === 0) return odd;
  const one = fc.nat({ max: entries.length - 1 }).chain((at) => {
    const [name, value] = entries[at] ?? ["", undefined];
    const others = entries.filter((_, n) => n !== at);
    const again = (all: readonly (readonly [string, unknown])[]): unknown =>
      Array.isArray(data) ? all.map(([, each]) => each) : Object.fromEntries(all);
    return fc.oneof(
      fc.constant(again(others)),
      spoiled(value).map((other) => again(entries.map((entry, n) => (n === at ? [name, other] : entry)))),
      odd.map((other) => again([...entries, ["more", other]])),
    );
  });
  return fc.oneof(fc.constantFrom(data, Object.assign([], data)), { weight: 8, arbitrary: one }, odd);
};
