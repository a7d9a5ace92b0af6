import fc from "fast-check";
import { expect, test } from "vitest";
import { withCrlf } from "../src/line-ends.ts";

const pieces = fc.array(
  fc.string({ unit: fc.constantFrom("\r", "\n", "\r\n", ".", "x", "\xff"), maxLength: 6 }),
  {
    maxLength: 12,
  },
);

async function* chunksOf(texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text, "latin1");
}

const converted = async (texts: readonly string[]): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of withCrlf(chunksOf(texts))) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
};

test("every line end becomes CRLF, whatever chunks it arrives in, and nothing else changes", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (texts) => {
      const text = texts.join("");
      expect(await converted(texts)).toBe(text.split(/\r+\n|\r|\n/).join("\r\n"));
    }),
  );
});

test("CR CR LF is one line end, and endless CRs are not kept in memory", async () => {
  expect(await converted(["Subject: Hi\r\r\n", "\r", "\r\nHello.\r\r\n"])).toBe(
    "Subject: Hi\r\n\r\nHello.\r\n",
  );
  expect(await converted(Array.from({ length: 300 }, () => "\r"))).toBe("\r\n".repeat(300));
  const sizes: number[] = [];
  for await (const { length } of withCrlf(chunksOf(Array.from({ length: 50 }, () => "\r".repeat(1000)))))
    sizes.push(length);
  expect(Math.max(...sizes)).toBe(2000);
});

test("a run of CRs takes time in proportion to its length, and means the same in any chunks", async () => {
  // Trying each CR as the beginning of a line end would take hours.
  expect((await converted(["\r".repeat(2 ** 22)])).length).toBe(2 ** 23);
  const run = `${"\r".repeat(150)}\n`;
  expect(await converted([run])).toBe("\r\n".repeat(51));
  for (const at of [1, 60, 120, 150])
    expect(await converted([run.slice(0, at), run.slice(at)])).toBe("\r\n".repeat(51));
});

test("text that has only CRLF stays as it is, chunk by chunk", async () => {
  const chunk = Buffer.from("a\r\nb\r\n");
  const seen: Uint8Array[] = [];
  for await (const each of withCrlf(chunksOf(["a\r\nb\r\n", ""]))) seen.push(each);
  expect(seen).toEqual([chunk]);
});
