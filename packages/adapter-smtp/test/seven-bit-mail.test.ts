import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mimePieces } from "../src/seven-bit/mime-parts.ts";
import { sevenBitMail, watchBody } from "../src/seven-bit/seven-bit-mail.ts";
import { mailBody, textOf } from "./support/mail-body.ts";
import { read, trees, type Written, write } from "./support/mime-tree.ts";

/** What is sent of a message whose body arrives in chunks of this size. */
const sent = async (
  { header, body }: Written,
  chunk?: number,
): Promise<Written & { readonly size: number }> => {
  const mail = await sevenBitMail({ header, body: mailBody(body, chunk) });
  return { header: mail.header, body: await textOf(mail.body), size: mail.body.size };
};

/** Whether it is in ASCII and lines of at most 998 octets. */
const fits = (text: string) =>
  !/[\x80-\xff]/.test(text) && text.split("\r\n").every((line) => line.length <= 998);

/** With a line end at its end, as every message that arrives. */
const complete = ({ header, body }: Written): Written => ({
  header,
  body: body.endsWith("\r\n") ? body : `${body}\r\n`,
});

test("whatever a message consists of, each part has the same content, and nothing is left that a relay has to change", async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.integer({ min: 1, max: 200 }), async (tree, chunk) => {
      const message = complete(write(tree));
      const { size, ...mail } = await sent(message);
      expect(read(mail)).toEqual(read(message));
      expect(size).toBe(mail.body.length);
      const isSealed = /multipart\/signed|pkcs7-mime/.test(message.header + message.body);
      if (!isSealed) expect(fits(mail.body)).toBe(true);
      expect(await sent(message, chunk)).toEqual({ size, ...mail });
      expect(await sent(mail)).toMatchObject({ body: mail.body });
    }),
    { numRuns: 1000 },
  );
});

test("any text is divided into pieces that are the text, in whatever chunks it arrives", async () => {
  const unit = fc.constantFrom(
    ...["\r\n", "\r\n", "--b", "--b--", "--bb", "-", " ", "\r", "\n", "x", ":", "\xe9", "Content-Type: "],
    ...["multipart/mixed; boundary=b", "multipart/digest; boundary=bb", "message/rfc822", "multipart/mixed"],
  );
  const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (body, chunk) => {
      const header = "Content-Type: multipart/mixed; boundary=b\r\n";
      let pieces = "";
      for await (const piece of mimePieces(header, mailBody(body, chunk).read())) {
        if (piece.kind !== "header") pieces += piece.text;
        else if (piece.part.number > 0)
          pieces += `${piece.part.fields.map(({ raw }) => raw).join("")}${piece.isBlank ? "\r\n" : ""}`;
      }
      expect(pieces).toBe(body);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["a message without MIME fields", "", "Gr\xfc\xdfe \r\n", "MIME-Version: 1.0", "Gr=FC=DFe=20\r\n"],
  ["an encoding without a name", "8-bit", "-- \xfc\r\n", "quoted-printable", "=2D- =FC\r\n"],
  ["a wrong claim", "7bit", "\xfc", "quoted-printable", "=FC\r\n"],
  ["two claims", "8bit\r\nContent-Transfer-Encoding: 7bit", "\xfc\r\n", "quoted-printable", "=FC\r\n"],
  ["an encoding with a comment", "Quoted-Printable (sic)", "=FC\xfc\r\n", "(sic)", "=FC=FC\r\n"],
  ["a line of 998 octets", "7bit", `${"x".repeat(998)}\r\n`, "7bit", `${"x".repeat(998)}\r\n`],
  [
    "a line of 999 octets",
    "7bit",
    `${"x".repeat(999)}\r\n`,
    "quoted-printable",
    `${`${"x".repeat(75)}=\r\n`.repeat(13)}${"x".repeat(24)}\r\n`,
  ],
  [
    "an octet that is encoded already",
    "quoted-printable",
    `${"x".repeat(74)}=FC\xfc\r\n`,
    "quoted-printable",
    `${"x".repeat(74)}=\r\n=FC=FC\r\n`,
  ],
  ["what only we cannot read", "x-uuencode", "\xfc\r\n", "x-uuencode", "\xfc\r\n"],
])("%s", async (_, encoding, body, field, expected) => {
  const header = encoding === "" ? "" : `MIME-Version: 1.0\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  const mail = await sent({ header, body });
  expect(mail.header).toContain(field);
  expect(mail.header.match(/Content-Transfer-Encoding/g)).toHaveLength(1);
  expect(mail.body).toBe(expected);
});

test.each([
  ["a message in a digest", "digest", "\r\nSubject: Hi\r\n\r\n", "\r\nSubject: Hi\r\n"],
  ["a part without a header", "mixed", "\r\n", ""],
  ["a part without a header and a blank line", "mixed", "", ""],
])("%s is encoded", async (_, type, before, header) => {
  const mail = await sent({
    header: `Content-Type: multipart/${type}; boundary=b\r\n`,
    body: `--b\r\n${before}\xfc\r\n--b--\r\n`,
  });
  expect(mail.body).toBe(
    `--b\r\n${header}Content-Transfer-Encoding: quoted-printable\r\n\r\n=FC\r\n--b--\r\n`,
  );
});

test("what is signed, encrypted, or nested too deeply arrives as it is, and everything else is encoded", async () => {
  const text = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xfc";
  const signed = `Content-Type: multipart/signed; boundary=s\r\n\r\n\xfc\r\n--s\r\n${text}\r\n--s--`;
  const deep = `${"Content-Type: message/rfc822\r\n\r\n".repeat(60)}${text}`;
  const header = "Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n";
  for (const kept of [signed, deep, signed.replace("signed", "encrypted")]) {
    const body = `--b\r\n${text}\r\n--b\r\n${kept}\r\n--b--\r\n`;
    const mail = await sent({ header, body });
    const encoded = text.replace("8bit", "quoted-printable").replace("\xfc", "=FC");
    expect(mail).toMatchObject({ header, body: body.replace(text, () => encoded) });
  }
  expect(await sent({ header, body: `--b\r\n${signed}\r\n--b--\r\n` })).toMatchObject({ header });
});

test("a large body is encoded as it is read, each time", async () => {
  const body = "Gr\xc3\xbc\xc3\x9fe \r\n".repeat(20_000);
  const mail = await sevenBitMail({ header: "MIME-Version: 1.0\r\n", body: mailBody(body) });
  const expected = "Gr=C3=BC=C3=9Fe=20\r\n".repeat(20_000);
  expect(mail.body.size).toBe(expected.length);
  for (let times = 0; times < 2; times += 1) expect(await textOf(mail.body)).toBe(expected);
  for await (const chunk of mail.body.read()) expect(chunk.length).toBeLessThanOrEqual(64 * 1024);
});

test("a message in ASCII with short lines arrives octet for octet, and a body that is read is watched", async () => {
  const fitsOf = async (body: string, chunk?: number) => {
    const watched = watchBody(mailBody(body, chunk));
    expect(await textOf(watched)).toBe(body);
    return watched.fits();
  };
  const line = (length: number) => `${"x".repeat(length)}\r\n`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(0, 1, 500, 997, 998, 999), { maxLength: 5 }),
      fc.integer({ min: 1, max: 1200 }),
      async (lengths, chunk) => {
        const isShort = lengths.every((length) => length <= 998);
        expect(await fitsOf(lengths.map(line).join(""), chunk)).toBe(isShort);
      },
    ),
  );
  expect(await fitsOf("\xe9")).toBe(false);
});
