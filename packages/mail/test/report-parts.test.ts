import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportParts } from "../src/delivery-reports/report-parts.ts";
import { HEADER, multipart, nested, part } from "./support/multipart.ts";

const STATUS =
  "Reporting-MTA: dns; relay.example\r\n\r\nFinal-Recipient: rfc822; a@b.example\r\nAction: failed\r\n";
const RETURNED =
  "From: r-x@alias.example\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\ninner\r\n--c--\r\n";

test("each part that contains no others is returned, decoded; an enclosed message is one part", () => {
  const body = [
    "a preamble\r\n",
    part("text/plain", "Your message =3D\r\nfailed", "Quoted-Printable"),
    part("message/delivery-status", Buffer.from(STATUS).toString("base64"), "base64"),
    part("Message/RFC822", RETURNED),
    part("text/rfc822-headers; charset=utf-8", "From: x@y.example\r\nX-Raw: \xe9", "8bit"),
    "--b--\r\nan epilogue\r\n--b\r\nnot a part\r\n",
  ].join("");
  expect(reportParts(HEADER, body)).toEqual([
    { type: "text/plain", content: "Your message =\r\nfailed" },
    { type: "message/delivery-status", content: STATUS },
    { type: "message/rfc822", content: RETURNED },
    { type: "text/rfc822-headers", content: "From: x@y.example\r\nX-Raw: \xe9" },
  ]);
});

test("quoted-printable: octets, soft line breaks, and invalid sequences, which stay as they are", () => {
  const header = "Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: quoted-printable\r\n";
  expect(reportParts(header, "a=3d=C3=\r\nb = =4 =zz\r\n")).toEqual([
    { type: "message/delivery-status", content: "a=\xc3b = =4 =zz\r\n" },
  ]);
});

test("parts in parts", () => {
  const inner = [
    part("message/feedback-report", "Feedback-Type: abuse\r\n"),
    part("message/rfc822", RETURNED),
  ]
    .join("")
    .replaceAll("--b", "--d");
  // The inner one lacks its last line.
  const body = `--b\r\n${multipart("d", "multipart/mixed")}\r\n${inner}--b\r\n\r\na text\r\n--b--\r\n`;
  expect(reportParts(multipart("b", "multipart/mixed"), body)).toEqual([
    { type: "message/feedback-report", content: "Feedback-Type: abuse\r\n" },
    { type: "message/rfc822", content: RETURNED },
    { type: "text/plain", content: "a text" },
  ]);
});

describe("the boundary", () => {
  const STATUS_PART = { type: "message/delivery-status", content: "Action: failed" };

  test.each([
    ["without quotes", "multipart/report; boundary=----=_Part/1:2", "----=_Part/1:2"],
    ["with quoted pairs and spaces", 'multipart/report; boundary="a \\"b\\" c"', 'a "b" c'],
    ["folded, with comments, in upper case", "Multipart/Report (x);\r\n\tBOUNDARY = (y) b", "b"],
    [
      "before and after other parameters",
      'multipart/report; a=";boundary=x"; c=";"boundary=y; boundary=b; boundary=c',
      "b",
    ],
  ])("%s", (_, type, boundary) => {
    const body = `--${boundary}\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n--${boundary}--`;
    expect(reportParts(`Content-Type: ${type}\r\n`, body)).toEqual([STATUS_PART]);
  });

  test("white space can follow it", () => {
    const body = "--b \t\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n--b-- \r\nnothing";
    expect(reportParts(HEADER, body)).toEqual([STATUS_PART]);
  });

  test("without one, the body is one part", () => {
    expect(reportParts("Content-Type: multipart/report; boundary=\r\n", "--\r\n\r\na")).toEqual([
      { type: "multipart/report", content: "--\r\n\r\na" },
    ]);
    expect(reportParts("Subject: failed\r\n", "a")).toEqual([{ type: "text/plain", content: "a" }]);
  });

  test("it divides nothing but a multipart", () => {
    const body = "--b\r\n\r\na\r\n--b--";
    expect(reportParts('Content-Type: message/rfc822; boundary="b"\r\n', body)).toEqual([
      { type: "message/rfc822", content: body },
    ]);
  });

  test("only whole lines divide", () => {
    const content = "--bc\r\n --b\r\n--b-\r\nx--b";
    expect(reportParts(HEADER, `--b\r\n\r\n${content}\r\n--b--`)).toEqual([{ type: "text/plain", content }]);
  });
});

test("a part begins with its header, which ends at the first line that is not part of one", () => {
  const body = [
    "--b\r\n\r\nContent-Type: message/delivery-status\r\n\r\nquoted\r\n",
    "--b\r\nContent-Type: text/x-log\r\nnot a field\r\n\r\ntext\r\n",
    "--b\r\nContent-Type: text/x-empty\r\n",
  ].join("");
  expect(reportParts(HEADER, body)).toEqual([
    { type: "text/plain", content: "Content-Type: message/delivery-status\r\n\r\nquoted" },
    { type: "text/x-log", content: "not a field\r\n\r\ntext" },
    { type: "text/x-empty", content: "" },
  ]);
});

test("parts are read up to 16 levels deep", () => {
  const header = multipart("b0", "multipart/mixed");
  expect(reportParts(header, nested(15))).toHaveLength(1);
  expect(reportParts(header, nested(16))).toEqual([]);
  expect(reportParts(header, nested(500))).toEqual([]);
});

test("takes any text, in any charset and encoding", () => {
  const unit = fc.constantFrom(
    "\r\n--b\r\n",
    "\r\n--b\r\n",
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
  let found = 0;
  fc.assert(
    fc.property(text, text, (header, body) => {
      for (const { type, content } of reportParts(`${HEADER}${header}`, body)) {
        found += 1;
        expect(type).toBe(type.toLowerCase());
        expect(content).toMatch(/^[\0-\xff]*$/);
      }
    }),
  );
  expect(found).toBeGreaterThan(10);
});
