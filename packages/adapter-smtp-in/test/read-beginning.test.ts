import type { MailBody } from "@postern/mail";
import { expect, test } from "vitest";
import { readBeginning } from "../src/read-beginning.ts";

const SIZE = 256 * 1024;

test("reads the requested amount, octet by octet, and no further than the chunk in which it ends", async () => {
  let read = 0;
  const body: MailBody = {
    size: 50_000_000,
    read: async function* () {
      for (; read < 800; read += 1) yield Buffer.alloc(50_000, "\xe9", "latin1");
    },
  };
  expect(await readBeginning(body, SIZE)).toBe("\xe9".repeat(SIZE));
  expect(read).toBeLessThan(6);
});

test("reads all of a short body, and of an empty one", async () => {
  const bodyOf = (...chunks: readonly string[]): MailBody => ({
    size: chunks.join("").length,
    read: async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    },
  });
  expect(await readBeginning(bodyOf("a\r\n", "b"), SIZE)).toBe("a\r\nb");
  expect(await readBeginning(bodyOf(), SIZE)).toBe("");
});
