import { describe, expect, test } from "vitest";
import { reportParts } from "../../src/mail/report-parts.ts";
import { HEADER, multipart, nested, part } from "../support/multipart.ts";

const SIZE = 256 * 1024;
const filled = (fragment: string) => fragment.repeat(Math.floor(SIZE / fragment.length));

describe("256 KiB are read quickly", () => {
  test.each([
    "--b\r\n",
    "--b--\r\n",
    "--",
    "\r\n",
    "\n",
    " ",
    "a: b\r\n",
    "=",
    "=\r\n",
    "<a href=",
    "<",
    "&",
    "(",
    '"',
    "Final-Recipient: rfc822; a@b.example\r\nAction: delayed\r\n\r\n",
  ])("of %j", (fragment) => {
    const text = filled(fragment);
    for (const body of [
      text,
      `--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\nContent-Type: text/html\r\n\r\n${text}\r\n--b--`,
      part("text/html", text, "quoted-printable"),
      part("text/plain", text, "base64"),
      `--b\r\nContent-Type: ${text.replaceAll("\r\n", "\r\n ")}`,
      `--b\r\nContent-Type: text/plain; a="${text.replaceAll("\r\n", "\r\n ")}\r\n\r\n`,
      `--b\r\nContent-Transfer-Encoding: ${text.replaceAll("\r\n", "\r\n ")}\r\n\r\n`,
    ]) {
      expect(reportParts(HEADER, body).length).toBeLessThan(SIZE / 4);
    }
    const header = `Content-Type: multipart/mixed; boundary="${text.replaceAll("\r\n", "")}"\r\n`;
    expect(reportParts(header, `--${text}`).length).toBeLessThan(2);
  });

  test("nested as deeply as parts are read", () => {
    const header = multipart("b0", "multipart/mixed");
    expect(reportParts(header, nested(15) + filled("--b15\r\n\r\n\r\n")).length).toBeGreaterThan(20_000);
  });
});
