import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { readBeginning } from "../src/message/read-beginning.ts";

const bodyOf = (...chunks: readonly string[]) => ({
  read: async function* () {
    for (const chunk of chunks) yield Uint8Array.from(chunk, (octet) => octet.charCodeAt(0));
  },
});

test("reads 256 KiB, octet by octet, and no further than the chunk in which they end", async () => {
  let read = 0;
  const body = {
    read: async function* () {
      for (; read < 800; read += 1) yield new Uint8Array(50_000).fill(0xe9);
    },
  };
  expect(valueOf(await readBeginning(body))).toBe("\xe9".repeat(256 * 1024));
  expect(read).toBeLessThan(6);
});

test("reads all of a short body, and of an empty one", async () => {
  expect(valueOf(await readBeginning(bodyOf("a\r\n", "", "b\xff\0")))).toBe("a\r\nb\xff\0");
  expect(valueOf(await readBeginning(bodyOf()))).toBe("");
});

test("fails if the body is gone", async () => {
  const gone = {
    read: async function* () {
      yield* bodyOf("a").read();
      throw new Error("the body is gone");
    },
  };
  expect(failureOf(await readBeginning(gone))).toMatchObject({ code: "unavailable" });
});
