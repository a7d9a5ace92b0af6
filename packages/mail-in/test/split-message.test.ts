import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { HeaderFields, MAX_HEADER_OCTETS } from "@postern/mail";
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitMessage } from "../src/split-message.ts";

async function* inChunks(text: string, size: number) {
  const octets = Buffer.from(text, "latin1");
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

const split = async (text: string, size = 7) => {
  const { header, body } = await splitMessage(inChunks(text, size));
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { header, body: Buffer.concat(chunks).toString("latin1") };
};

test.each([
  ["A: b\r\n\r\nbody\r\n", "A: b\r\n", "body\r\n"],
  ["A: b\r\n c\r\n\r\n\r\nbody", "A: b\r\n c\r\n", "\r\nbody"],
  ["A: b\r\n", "A: b\r\n", ""],
  ["A: b", "A: b\r\n", ""],
  ["\r\nbody\r\n\r\n", "", "body\r\n\r\n"],
  ["no header\r\n\r\nbody", "", "no header\r\n\r\nbody"],
  ["A: b\r\nno field\r\nC: d\r\n\r\nbody", "A: b\r\n", "no field\r\nC: d\r\n\r\nbody"],
  ["From bob@sender.test Fri Oct 30 11:05:30 2026\r\nA: b\r\n\r\nbody", "A: b\r\n", "body"],
  [">From bob Fri Oct 30 11:05:30 2026\r\nA: b\r\n\r\nbody", "A: b\r\n", "body"],
  ["From bob\r\n\r\nbody", "", "From bob\r\n\r\nbody"],
  ["From bob\r\nno header", "", "From bob\r\nno header"],
  ["", "", ""],
])("%j", async (message, header, body) => {
  expect(await split(message)).toEqual({ header, body });
});

test("header and body together make up the message, whatever chunks it arrives in", async () => {
  const field = fc.tuple(
    fc.constantFrom("A", "Subject", "x-y"),
    fc.string({ unit: fc.constantFrom("v", " ", ":", "\r\n ", "\xe9"), maxLength: 9 }),
  );
  const fields = fc.array(
    field.map(([name, value]) => `${name}:${value}\r\n`),
    { minLength: 1, maxLength: 5 },
  );
  const body = fc.string({ unit: fc.constantFrom("x", "\r\n", ".", " ", "A: b"), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fields, body, fc.integer({ min: 1, max: 40 }), async (lines, text, size) => {
      expect(await split(`${lines.join("")}\r\n${text}`, size)).toEqual({
        header: lines.join(""),
        body: text,
      });
    }),
  );
});

test("whatever the text is, the header that is split off is a valid one", async () => {
  const text = fc.string({ unit: fc.constantFrom("A: b", "\r\n", " ", "x", ":", "\xff"), maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), async (message, size) => {
      const { header, body } = await split(message, size);
      expect(header).not.toBeNull();
      for (const { name } of HeaderFields.split(header ?? "")) expect(name).not.toBe("");
      expect([`${header}\r\n${body}`, `${header}${body}`, `${header}${body}`.replace(/\r\n$/, "")]).toContain(
        message,
      );
    }),
  );
});

test("a header that is too long is not read to its end", async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield Buffer.from(`X-Field: ${"x".repeat(1000)}\r\n`);
    }
  }
  expect((await splitMessage(endless())).header).toBeNull();
  expect(read).toBeLessThan(300);
  const exact = `X: ${"x".repeat(MAX_HEADER_OCTETS - 5)}\r\n`;
  expect(await split(`${exact}\r\nbody`, 1000)).toEqual({ header: exact, body: "body" });
  expect((await split(`X${exact}\r\nbody`, 1000)).header).toBeNull();
});

test("a header that arrives in pieces of two octets takes little more memory than its octets", () => {
  const program = join(import.meta.dirname, "support/header-in-pieces.ts");
  const { stdout, status } = spawnSync(process.execPath, ["--expose-gc", program], { encoding: "utf8" });
  expect(status).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(200_000);
  expect(Number(stdout)).toBeLessThan(2_000_000);
});

test.each(["A: b\r\n\r\n", "\r\n"])(
  "reads nothing after the header %j and the blank line, if it arrives octet by octet",
  async (beginning) => {
    let read = 0;
    async function* counted() {
      for await (const chunk of inChunks(`${beginning}the body`, 1)) {
        read += 1;
        yield chunk;
      }
    }
    await splitMessage(counted());
    expect(read).toBe(beginning.length);
  },
);
