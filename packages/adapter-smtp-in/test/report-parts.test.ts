import type { MailBody } from "@postern/core/mail";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reportParts } from "../src/report-parts.ts";

const bodyOf = (text: string): MailBody => ({
  size: text.length,
  read: async function* () {
    const octets = Buffer.from(text, "latin1");
    for (let at = 0; at < octets.length; at += 65_536) yield octets.subarray(at, at + 65_536);
  },
});

const multipart = (boundary: string, type: string) => `Content-Type: ${type}; boundary="${boundary}"\r\n`;
const part = (type: string, content: string, encoding = "7bit") =>
  `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n`;

const STATUS =
  "Reporting-MTA: dns; relay.example\r\n\r\nFinal-Recipient: rfc822; a@b.example\r\nAction: failed\r\n";
const RETURNED =
  "From: r-x@alias.example\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\ninner\r\n--c--\r\n";
const HEADER = multipart("b", "multipart/report; report-type=delivery-status");

test("each part that is made for programs, or enclosed, is one part, decoded", async () => {
  const encoded = Buffer.from(STATUS).toString("base64");
  const body = [
    "a preamble\r\n",
    part("text/plain", "Your message"),
    part("message/delivery-status", encoded, "base64"),
    part("Message/RFC822", RETURNED),
    part("text/rfc822-headers", "From: x@y.example\r\nX-Raw: \xe9", "8bit"),
    "--b--\r\nan epilogue\r\n",
  ].join("");
  const parts = await reportParts(HEADER, bodyOf(body));
  expect(parts.map(({ type }) => type)).toEqual([
    "message/delivery-status",
    "message/rfc822",
    "text/rfc822-headers",
  ]);
  expect(parts[0]?.content.replaceAll("\r\n", "\n").trim()).toBe(STATUS.replaceAll("\r\n", "\n").trim());
  expect(parts[1]?.content).toContain("--c");
  expect(parts[2]?.content).toContain("X-Raw: \xe9");
});

test("feedback reports with the message that they are about, and parts in parts", async () => {
  const inner = [
    part("message/feedback-report", "Feedback-Type: abuse\r\n"),
    part("message/rfc822", RETURNED),
  ]
    .join("")
    .replaceAll("--b", "--d");
  const body = `--b\r\n${multipart("d", "multipart/mixed")}\r\n${inner}--d--\r\n--b--\r\n`;
  expect(await reportParts(multipart("b", "multipart/mixed"), bodyOf(body))).toMatchObject([
    { type: "message/feedback-report", content: expect.stringContaining("abuse") },
    { type: "message/rfc822", content: expect.stringContaining("From: r-x@alias.example") },
  ]);
});

test("only the first 256 KiB are read, of whatever a report encloses", async () => {
  let read = 0;
  const body: MailBody = {
    size: 50_000_000,
    read: async function* () {
      yield Buffer.from(
        `${part("message/delivery-status", STATUS)}--b\r\nContent-Type: message/rfc822\r\n\r\n`,
      );
      for (; read < 800; read += 1) yield Buffer.alloc(65_536, "x");
    },
  };
  const parts = await reportParts(HEADER, body);
  expect(parts[0]).toMatchObject({
    type: "message/delivery-status",
    content: expect.stringContaining("failed"),
  });
  expect(read).toBeLessThan(10);
});

test("10,000 groups of fields, and nesting without end, have an end", async () => {
  const groups = "Final-Recipient: rfc822; a@b.example\r\nAction: delayed\r\n\r\n".repeat(10_000);
  expect(await reportParts(HEADER, bodyOf(`${part("message/delivery-status", groups)}--b--`))).toHaveLength(
    1,
  );
  const nested = Array.from(
    { length: 500 },
    (_, i) => `--b${i}\r\n${multipart(`b${i + 1}`, "multipart/mixed")}\r\n`,
  ).join("");
  expect(await reportParts(multipart("b0", "multipart/mixed"), bodyOf(nested))).toEqual([]);
});

test("takes any text, in any charset and encoding", async () => {
  const unit = fc.constantFrom(
    "--b",
    "--b--",
    "\r\n",
    "\n",
    "Content-Type: ",
    "message/delivery-status",
    "multipart/mixed; boundary=b",
    "; charset=x-none",
    "Content-Transfer-Encoding: base64",
    "=",
    "\xff",
    "\0",
    "a",
    ":",
    "Action: failed",
  );
  const text = fc.string({ unit, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, text, async (header, body) => {
      for (const { type, content } of await reportParts(`${HEADER}${header}`, bodyOf(body))) {
        expect(type).toBe(type.toLowerCase());
        expect(content).toMatch(/^[\0-\xff]*$/);
      }
    }),
  );
});
