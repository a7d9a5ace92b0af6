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
      expect(await converted(texts)).toBe(text.split(/\r\n|\r|\n/).join("\r\n"));
    }),
  );
});

test("text that has only CRLF stays as it is, chunk by chunk", async () => {
  const chunk = Buffer.from("a\r\nb\r\n");
  const seen: Uint8Array[] = [];
  for await (const each of withCrlf(chunksOf(["a\r\nb\r\n", ""]))) seen.push(each);
  expect(seen).toEqual([chunk]);
});
