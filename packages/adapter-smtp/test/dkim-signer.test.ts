import { generateKeyPairSync } from "node:crypto";
import { type Domain, parseDomain } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Authentication, MailSigner } from "@postern/mail";
import { type FakeDns, type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import { verifyElsewhere } from "@postern/test-support/signature-verifiers";
import fc from "fast-check";
import { authenticate } from "mailauth";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { dkimSigner } from "../src/index.ts";
import { brokenBody, mailBody, textOf } from "./support/mail-body.ts";
import { trees, write } from "./support/mime-tree.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const published = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

const selector = "postern";
const domain: Domain = valueOf(parseDomain("alias.example"));
const zone: FakeZone = { "postern._domainkey.alias.example": { TXT: [published] } };

const withArc = dkimSigner({ key, selector, arc: { server: "mx.alias.example" } });
const withoutArc = dkimSigner({ key, selector, arc: null });

const arrived = (arc: Authentication["arc"]): Authentication => ({
  authorDomain: "sender.example",
  spf: "pass",
  dmarc: { verdict: "pass", policy: "none" },
  arc,
  results: "spf=pass smtp.mailfrom=sender.example;\r\n\tdmarc=pass header.from=sender.example",
});

const HEADER = [
  'From: "Bob (bob at sender.example)" <r-abc@alias.example>',
  "To: shop@alias.example",
  "Subject: Your  order\t of\r\n  two lines ",
  "Date: Sun, 22 Nov 2026 10:00:00 +0000",
  "Message-ID: <1@sender.example>",
  "List-Unsubscribe: <https://sender.example/u>",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  "",
].join("\r\n");

const BODY = "Hello  \t there \r\n.\r\n..dots\r\n \r\n\t\r\nthe end \r\n\r\n\r\n";

/** The message, preceded by the fields that the signer adds. */
const signed = async (
  signer: MailSigner,
  { header = HEADER, body = BODY, chunk = 64 * 1024, authentication = null as Authentication | null } = {},
): Promise<string> => {
  const sent = valueOf(await signer.sign({ domain, header, body: mailBody(body, chunk), authentication }));
  return `${sent.header}\r\n${await textOf(sent.body)}`;
};

/** Splits a signed message where its header ends. */
const parts = (message: string) => {
  const end = message.indexOf("\r\n\r\n") + 2;
  return { header: message.slice(0, end), body: message.slice(end + 2) };
};

const resolve =
  ({ resolver }: FakeDns) =>
  (name: string, type: string) =>
    resolver.resolve(name, type) as Promise<string[][]>;

const verifyHere = async (message: string, resolver: (name: string, type: string) => Promise<string[][]>) => {
  const { dkim, arc } = await authenticate(Buffer.from(message, "latin1"), {
    resolver,
    ip: "192.0.2.1",
    helo: "client.example",
    sender: "bob@sender.example",
    disableBimi: true,
    disableDmarc: true,
  });
  const [first = { status: { result: "none" } }] = dkim.results;
  return {
    // mailauth's name for a body that does not match.
    dkim: first.status.result === "neutral" ? "fail" : first.status.result,
    arc: arc === false ? "none" : arc.status.result,
  };
};

const startDns = async () => {
  const dns = await startFakeDns(zone);
  onTestFinished(() => dns.close());
  return dns;
};

/** What the three verifiers say; fails if they disagree. */
const verify = async (messages: readonly string[]) => {
  const dns = await startDns();
  const elsewhere = await verifyElsewhere(messages, dns.port);
  return Promise.all(
    messages.map(async (message, i) => {
      const here = await verifyHere(message, resolve(dns));
      expect({ message, ...elsewhere[i] }).toEqual({ message, perl: here, python: here });
      return here;
    }),
  );
};

const pass = { dkim: "pass", arc: "none" };
const sealed = { dkim: "pass", arc: "pass" };

/* Starting the verifiers takes most of the time, so each of these tests has them verify many messages. */

test("three verifiers accept messages of all kinds", async () => {
  const mails: Readonly<Record<string, { header?: string; body?: string }>> = {
    "a usual message": {},
    "an empty body": { body: "" },
    "a body of empty lines": { body: "\r\n \r\n\t\r\n\r\n" },
    "octets above 127": {
      header: `${HEADER}X-Raw: \xe9\xff\r\nComments: \xc3\xa9\r\n`,
      body: "\xe9\xff\x80\r\n",
    },
    "a line of 100,000 characters": { body: `${"x ".repeat(50_000)}\r\n` },
    "folded, empty and repeated fields": {
      header: `${HEADER}Cc:\r\n\ta@a.example,\r\n b@b.example\r\nReply-To: \r\nSUBJECT: again\r\n`,
    },
    "a long list of fields": { header: `${HEADER}${"References: <1@a.example>\r\n".repeat(60)}` },
  };
  const plain = Object.values(mails).map((mail) => signed(withoutArc, mail));
  const inChain = Object.values(mails).map((mail) =>
    signed(withArc, { ...mail, authentication: arrived("none") }),
  );
  const results = await verify(await Promise.all([...plain, ...inChain]));
  const kinds = Object.keys(mails);
  expect(results.map((result, i) => [kinds[i % kinds.length], result])).toEqual([
    ...kinds.map((kind) => [kind, pass]),
    ...kinds.map((kind) => [kind, sealed]),
  ]);
});

test("nobody can send a signed message to others with an additional field", async () => {
  const fields = [
    "From: eve@evil.example",
    "Reply-To: eve@evil.example",
    "Sender: eve@evil.example",
    "To: victim@home.example",
    "Cc: victim@home.example",
    "Subject: Your account",
    "Date: Mon, 23 Nov 2026 10:00:00 +0000",
    "Message-ID: <2@evil.example>",
    "In-Reply-To: <2@evil.example>",
    "References: <2@evil.example>",
    "MIME-Version: 1.0",
    "Content-Type: text/html",
    "Content-Transfer-Encoding: base64",
  ];
  const message = await signed(withArc, { authentication: arrived("none") });
  const { header, body } = parts(message);
  const atTop = fields.map((added) => `${added}\r\n${message}`);
  const atEnd = fields.map((added) => `${header}${added}\r\n\r\n${body}`);
  const results = await verify([...atTop, ...atEnd]);
  expect(results.map((result, i) => [fields[i % fields.length], result])).toEqual(
    [...fields, ...fields].map((added) => [added, { dkim: "fail", arc: "fail" }]),
  );
});

test("fields added by mailing lists and servers on the way do not invalidate the signatures", async () => {
  const message = await signed(withArc, { authentication: arrived("none") });
  const added = "Received: from a by b\r\nList-Id: <list.example>\r\nResent-From: list@list.example\r\n";
  expect(message).toContain("list-unsubscribe-post");
  expect(await verify([`${added}${message}`])).toEqual([sealed]);
});

describe("a message that was signed", () => {
  const signedDaysAgo = async (days: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - days * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    const message = await signed(withArc, { authentication: arrived("none") });
    vi.useRealTimers();
    return message;
  };

  test("up to 14 days ago is valid, since Postern and a relay may each try for five days", async () => {
    expect(await verify([await signedDaysAgo(10), await signedDaysAgo(13.9)])).toEqual([sealed, sealed]);
  });

  test("15 days ago is no longer valid, but its ARC chain still is", async () => {
    const message = await signedDaysAgo(15);
    const dns = await startDns();
    expect(await verifyElsewhere([message], dns.port)).toEqual([
      // Mail::DKIM's name for an expired signature.
      { perl: { dkim: "invalid", arc: "pass" }, python: { dkim: "fail", arc: "pass" } },
    ]);
    expect(await verifyHere(message, resolve(dns))).toEqual({ dkim: "fail", arc: "pass" });
  });
});

test("a change of a signed field or of the body invalidates the signatures", async () => {
  const message = await signed(withArc, { authentication: arrived("none") });
  const changes = [message.replace("Your  order", "Your orders"), message.replace("Hello", "Hullo")];
  for (const { dkim, arc } of await verify(changes)) expect([dkim, arc]).toEqual(["fail", "fail"]);
});

test("a chain of ARC sets stays valid; a forged one is passed on as broken, once", async () => {
  const first = parts(await signed(withArc, { authentication: arrived("none") }));
  const second = await signed(withArc, { ...first, authentication: arrived("pass") });
  const third = await signed(withArc, { ...parts(second), authentication: arrived("pass") });
  expect(third).toMatch(/^ARC-Seal: i=3; a=rsa-sha256; cv=pass/);

  const broken = parts(second.replace("spf=pass smtp", "spf=fail smtp"));
  const told = await signed(withArc, { ...broken, authentication: arrived("fail") });
  expect(told).toMatch(/^ARC-Seal: i=3; a=rsa-sha256; cv=fail/);
  const again = await signed(withArc, { ...parts(told), authentication: arrived("fail") });
  expect(again).toMatch(/^DKIM-Signature: /);

  const results = await verify([second, third, told]);
  expect(results.map(({ arc }) => arc)).toEqual(["pass", "pass", "fail"]);
});

test("no ARC set is added to mail that did not arrive from outside, to an unchecked chain, or after the 50th set", async () => {
  const count = (message: string) => message.match(/^ARC-Seal:/gm)?.length ?? 0;
  const first = parts(await signed(withArc, { authentication: arrived("none") }));
  const seal = (instance: number | string) =>
    ["Seal", "Message-Signature", "Authentication-Results"]
      .map((kind) => `ARC-${kind}: i=${instance}; cv=pass\r\n`)
      .join("");
  expect(count(await signed(withArc))).toBe(0);
  expect(count(await signed(withoutArc, { authentication: arrived("none") }))).toBe(0);
  expect(count(await signed(withArc, { ...first, authentication: arrived("none") }))).toBe(1);
  expect(count(await signed(withArc, { authentication: arrived("pass") }))).toBe(0);
  expect(count(await signed(withArc, { header: seal(50) + HEADER, authentication: arrived("pass") }))).toBe(
    1,
  );
  expect(count(await signed(withArc, { header: seal("x") + HEADER, authentication: arrived("fail") }))).toBe(
    1,
  );
  expect(count(await signed(withArc, { header: seal(49) + HEADER, authentication: arrived("fail") }))).toBe(
    2,
  );
});

test("signatures are valid, whatever a message consists of and whatever chunks it is read in", async () => {
  const text = fc.string({
    unit: fc.constantFrom(" ", "\t", "\r\n", ".", "x", "\xe9", ";", "="),
    maxLength: 60,
  });
  const value = fc.string({
    unit: fc.constantFrom(" ", "\t", "\r\n ", "\r\n\t", "x", "\xe9", ":", ";", "="),
    maxLength: 30,
  });
  const name = fc.constantFrom(
    "To",
    "cc",
    "SUBJECT \t",
    "Date",
    "DKIM-Signature",
    "X-Other",
    "list-id",
    "From",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(name, value), { maxLength: 8 }),
      text,
      fc.integer({ min: 1, max: 70 }),
      async (fields, body, chunk) => {
        const header = `From: a@alias.example\r\n${fields.map(([field, content]) => `${field}:${content}x\r\n`).join("")}`;
        const message = await signed(withArc, { header, body, chunk, authentication: arrived("none") });
        expect(await verifyHere(message, async () => [[published]])).toEqual(sealed);
      },
    ),
    { numRuns: 150 },
  );
});

test("signs what no relay has to change: another body only if it is not in ASCII, or has long lines", async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { header, body } = write(tree);
      const given = mailBody(body);
      const sent = valueOf(
        await withArc.sign({ domain, header: HEADER + header, body: given, authentication: arrived("none") }),
      );
      const fits = !/[\x80-\xff]|[^\n]{1000}/.test(body);
      if (fits) {
        expect(sent.body).toBe(given);
        const same = (text: string) =>
          text.replace(/(?<=^Content-Transfer-Encoding: )(8bit|binary|7bit)/im, "");
        expect(same(sent.header).endsWith(same(header))).toBe(true);
      }
      const message = `${sent.header}\r\n${await textOf(sent.body)}`;
      expect(await verifyHere(message, async () => [[published]])).toEqual(sealed);
    }),
    { numRuns: 150 },
  );
});

test("fails instead of signing what cannot be verified", async () => {
  const sign = (header: string, body = mailBody(BODY)) =>
    withArc.sign({ domain, header, body, authentication: arrived("none") });
  expect(await sign("To: a@alias.example\r\n")).toMatchObject({
    error: { code: "unavailable", cause: { source: "dkim", reason: "no From field" } },
  });
  expect(await sign("")).toMatchObject({ error: { code: "unavailable" } });
  expect(await sign(HEADER, brokenBody("half"))).toMatchObject({
    error: { code: "unavailable", cause: { source: "dkim", reason: "the body cannot be read" } },
  });
});

describe("settings", () => {
  const pem = (type: "rsa" | "ed25519", bits = 2048) =>
    (type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: bits })
      : generateKeyPairSync("ed25519")
    ).privateKey
      .export({ type: "pkcs8", format: "pem" })
      .toString();

  test.each([
    ["nothing", "", "it is not PEM"],
    ["a path", "/etc/postern/dkim.pem", "it is not PEM"],
    ["a damaged key", key.replace(/^(.{300}).{40}/s, "$1"), "it cannot be read"],
    ["a public key", publicKey.export({ type: "spki", format: "pem" }).toString(), "it is not a private key"],
    [
      "a key with a passphrase",
      privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }).toString(),
      "it has a passphrase",
    ],
    ["a short key", pem("rsa", 1024), "it has 1024 bits"],
    ["another kind of key", pem("ed25519"), "it is a key for ed25519"],
  ])("rejects %s, and says why", (_, wrong, why) => {
    expect(() => dkimSigner({ key: wrong, selector, arc: null })).toThrow(
      new TypeError(
        `key must be an RSA private key of at least 2048 bits in PEM, without a passphrase: ${why}`,
      ),
    );
  });

  test.each(["", "a b", "a;b", "-a", "a.", "a\r\nb"])("rejects the selector %j", (wrong) => {
    expect(() => dkimSigner({ key, selector: wrong, arc: null })).toThrow(TypeError);
  });

  test("accepts PKCS #1, and a selector of several labels", async () => {
    const pkcs1 = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
    const message = await signed(dkimSigner({ key: pkcs1, selector: "2026.postern", arc: null }));
    expect(await verifyHere(message, async () => [[published]])).toEqual(pass);
  });
});
