import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { failureOf, valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_LINE_LENGTH, readLines } from "../src/index.ts";

async function* chunks(...all: readonly Uint8Array[]) {
  yield* all;
}

const bytes = (text: string) => new TextEncoder().encode(text);

const linesOf = async (stream: AsyncIterable<Uint8Array>) => {
  const lines = [];
  for await (const line of readLines(stream)) lines.push(line);
  return lines;
};

test("returns the same lines however the bytes are divided", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "é", "🙂", "\r", "\u2028"), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 20 })), async (text, cuts) => {
      let rest = bytes(text);
      const divided: Uint8Array[] = [];
      for (const cut of cuts) {
        divided.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      const expected = text.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect((await linesOf(chunks(...divided, rest))).map(valueOf)).toEqual(expected);
    }),
  );
});

test("reports a line that is too long or not UTF-8, and reads the others", async () => {
  const longest = "x".repeat(MAX_LINE_LENGTH);
  const invalid = Uint8Array.of(0x22, 0xff, 0x22, 0x0a);
  const [a, b, c, d, e] = await linesOf(
    chunks(bytes(`a\n${longest}\n${longest}`), bytes("y\n"), invalid, bytes("z")),
  );
  if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined)
    return expect.unreachable("lines are missing");
  expect([valueOf(a), valueOf(b).length, valueOf(e)]).toEqual(["a", MAX_LINE_LENGTH, "z"]);
  expect(failureOf(c)).toEqual({ code: "too_long" });
  expect(failureOf(d)).toEqual({ code: "not_utf8" });
});

test("does not buffer an endless line", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const read: WeakRef<ArrayBuffer>[] = [];
  async function* endless() {
    for (let n = 0; n < 10; n += 1) {
      const chunk = new Uint8Array(MAX_LINE_LENGTH);
      read.push(new WeakRef(chunk.buffer));
      yield chunk;
    }
    // What a weak reference was made for in this turn would not be collected.
    await setImmediate();
    collectGarbage();
    // The last one may still be in use.
    expect(read.slice(0, -1).filter((chunk) => chunk.deref() !== undefined)).toEqual([]);
  }
  const [line, ...more] = await linesOf(endless());
  expect(line?.isErr()).toBe(true);
  expect(more).toEqual([]);
});
