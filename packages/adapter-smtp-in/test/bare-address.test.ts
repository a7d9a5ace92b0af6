import { newCertificate } from "@postern/test-support/certificate";
import { newDirectory } from "@postern/test-support/new-directory";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withBrackets } from "../src/bare-address.ts";
import { greeted, MESSAGE } from "./support/client.ts";
import { startMx } from "./support/mx.ts";

const rewritten = (line: string): string => withBrackets(Buffer.from(line, "latin1")).toString("latin1");

test("what was an address in brackets is one without them, with the same parameters", () => {
  const address = fc.string({ unit: fc.constantFrom(...'ab.@,:+="\\(\xe9-'), minLength: 1, maxLength: 12 });
  const space = fc.constantFrom("", " ", "\t", "  ");
  const parameters = fc.subarray([" SIZE=100", "\tBODY=8BITMIME", "  SMTPUTF8", " ENVID=a+3Cb", " X-"]);
  fc.assert(
    fc.property(
      fc.constantFrom("MAIL FROM", "mail from", "RCPT TO", "Rcpt To"),
      fc.tuple(space, space, space),
      address,
      parameters,
      (command, [before, after, end], bare, given) => {
        const line = (text: string) => `${command}${before}:${after}${text}${given.join("")}${end}`;
        expect(rewritten(line(bare))).toBe(line(`<${bare}>`));
        expect(rewritten(line(`<${bare}>`))).toBe(line(`<${bare}>`));
      },
    ),
  );
});

test("any line is changed by nothing but one pair of brackets, and none that has a bracket", () => {
  const part = fc.constantFrom(
    "MAIL FROM",
    "RCPT TO",
    "MAIL",
    ":",
    " ",
    "\t",
    "<",
    ">",
    "b@s",
    "SIZE=1",
    "\r",
    "\0",
    "\xa0",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const line = parts.join("");
      const changed = rewritten(line);
      if (/[<>]/.test(line)) expect(changed).toBe(line);
      expect(changed === line || changed.replace(/[<>]/g, "") === line).toBe(true);
    }),
  );
});

describe.each([
  ["bob@sender.example", "bob@sender.example"],
  [" bob@sender.example", "bob@sender.example"],
  ["bob@sender.example SIZE=100 BODY=8BITMIME", "bob@sender.example"],
  ["@relay.example,@other.example:bob@sender.example", "bob@sender.example"],
  ['"bob"@sender.example', "bob@sender.example"],
])("MAIL FROM:%s", (text, returnPath) => {
  test("is taken, as is the recipient", async () => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    expect(await client.command(`MAIL FROM:${text}`)).toMatch(/^250 /);
    expect(await client.command("RCPT TO: shop@alias.example NOTIFY=NEVER")).toMatch(/^250 /);
    expect(await client.command("rcpt to:postmaster")).toMatch(/^250 /);
    expect(await client.data(MESSAGE)).toMatch(/^250 /);
    expect(mx.arrived).toMatchObject([
      { returnPath, recipients: [{ kind: "alias" }, { kind: "postmaster" }] },
    ]);
  });
});

test.each([
  ...["", " ", " SIZE=100", "bob", "bob@", "@sender.example", "bob@sender.example>", "<bob@sender.example"],
  ...[
    "Bob <bob@sender.example>",
    "bob@sender.example <eve@sender.example>",
    "bob@sender.example eve@sender.example",
  ],
  ...[
    "bob@sender.example,eve@sender.example",
    '"b b"@sender.example',
    "bob@sender.example\r",
    "bob@sender.example\0",
  ],
])("MAIL FROM:%j is malformed, and so is RCPT TO", async (text) => {
  const mx = await startMx();
  const client = await greeted(mx.server.port);
  expect(await client.command(`MAIL FROM:${text}`)).toMatch(/^501 /);
  await client.command("MAIL FROM:<>");
  expect(await client.command(`RCPT TO:${text}`)).toMatch(/^501 /);
});

test("brackets are added after STARTTLS too", async () => {
  const { key, cert } = newCertificate(newDirectory(), 2, "mx.alias.example");
  const mx = await startMx({}, {}, { tls: { key: key.toString(), cert: cert.toString() } });
  const plain = await greeted(mx.server.port);
  await plain.command("STARTTLS");
  const client = await plain.startTls();
  await client.command("EHLO client.example");
  expect(await client.command("MAIL FROM:bob@sender.example")).toMatch(/^250 /);
});
