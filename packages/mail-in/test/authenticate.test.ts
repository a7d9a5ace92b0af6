import { createHash, Hash } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import { dkimSigner } from "@postern/adapter-smtp";
import { type Domain, parseDomain } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Alignment, type Authentication, MAX_HEADER_OCTETS, type MailBody } from "@postern/mail";
import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { authenticate } from "../src/authenticate.ts";
import { cachingResolver } from "../src/resolver.ts";
import { KEY, PUBLISHED, signatureOf } from "./support/signature.ts";

const signer = dkimSigner({ key: KEY, selector: "s", arc: { server: "relay.example" } });

const ZONE: FakeZone = {
  "sender.example": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "_dmarc.sender.example": { TXT: ["v=DMARC1; p=reject"] },
  "s._domainkey.sender.example": { TXT: [PUBLISHED] },
  "quarantine.example": { TXT: ["v=spf1 -all"] },
  "_dmarc.quarantine.example": { TXT: ["v=DMARC1; p=quarantine"] },
  "plain.example": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "s._domainkey.plain.example": { TXT: [PUBLISHED] },
  "s._domainkey.mail.plain.example": { TXT: [PUBLISHED] },
  "broken.example": "SERVFAIL",
  "_dmarc.broken.example": "SERVFAIL",
  "silent.example": "silence",
  "_dmarc.silent.example": "silence",
  "unreadable.example": "SERVFAIL",
  "news.unreadable.example": "SERVFAIL",
  "_dmarc.unreadable.example": { TXT: ["v=DMARC1; p=reject"] },
  "s._domainkey.unreadable.example": "SERVFAIL",
  "_dmarc.keyless.example": { TXT: ["v=DMARC1; p=reject"] },
  "s._domainkey.keyless.example": "SERVFAIL",
};

const bodyOf = (text: string): MailBody => ({
  size: text.length,
  read: async function* () {
    yield Buffer.from(text, "latin1");
  },
});

const BODY = "Hello\r\n";
const headerFrom = (domain: string) => `From: Bob <bob@${domain}>\r\nSubject: Hello\r\n`;

const check = async (
  {
    header = headerFrom("sender.example"),
    returnPath = "bob@sender.example",
    clientAddress = "192.0.2.1",
    body = bodyOf(BODY),
  }: {
    readonly header?: string;
    readonly returnPath?: string;
    readonly clientAddress?: string | null;
    readonly body?: MailBody;
  } = {},
  { zone = ZONE, lookupMs = 20_000, checkMs = 60_000 } = {},
): Promise<Authentication & { readonly alignment: Alignment; readonly questions: readonly string[] }> => {
  const dns = await startFakeDns(zone);
  const resolver = cachingResolver(`127.0.0.1:${dns.port}`, lookupMs);
  onTestFinished(async () => {
    resolver.close();
    await dns.close();
  });
  const session = clientAddress === null ? null : { clientAddress, clientName: "client.example" };
  const message = { header, body, returnPath, session };
  const checked = await authenticate(message, "mx.alias.example", resolver.lookup, checkMs);
  return { ...checked.authentication, alignment: checked.alignment, questions: dns.questions };
};

const bodyHash = createHash("sha256").update(BODY).digest("base64");
/** A signature that is not valid. */
const signature = (domain: string, fields = "from") =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s; h=${fields}; bh=${bodyHash}; b=AAAA\r\n`;

const NOTHING: Alignment = { spf: false, signatures: [], complete: true };

/** The header with signatures of this domain added. */
const signed = async (header: string, domain: string, authentication: Authentication | null = null) => {
  const name: Domain = valueOf(parseDomain(domain));
  const body = bodyOf(BODY);
  return valueOf(await signer.sign({ domain: name, header, body, authentication })).header;
};

describe("DMARC", () => {
  test("passes by SPF", async () => {
    expect(await check()).toMatchObject({
      spf: "pass",
      dmarc: { verdict: "pass", policy: "reject" },
      arc: "none",
    });
  });

  test("passes by DKIM, from anywhere", async () => {
    const header = await signed(headerFrom("sender.example"), "sender.example");
    const result = await check({ header, clientAddress: "192.0.2.9", returnPath: "" });
    expect(result).toMatchObject({ spf: "none", dmarc: { verdict: "pass", policy: "reject" } });
    expect(result.results).toMatch(/^dkim=pass header\.i=@sender\.example header\.s=s/);
  });

  test("passes by DKIM alone without a client, whose SPF is asked of nobody", async () => {
    const header = await signed(headerFrom("sender.example"), "sender.example");
    const result = await check({ header, clientAddress: null });
    expect(result).toMatchObject({ spf: "none", dmarc: { verdict: "pass", policy: "reject" } });
    expect(result.alignment).toMatchObject({ spf: false, complete: true });
    expect(result.questions).not.toContain("TXT sender.example");
    expect(await check({ clientAddress: null })).toMatchObject({
      spf: "none",
      dmarc: { verdict: "fail", policy: "reject" },
      alignment: NOTHING,
    });
  });

  test("fails without either, with the policy of the domain in From", async () => {
    expect(await check({ clientAddress: "192.0.2.9" })).toMatchObject({
      spf: "fail",
      dmarc: { verdict: "fail", policy: "reject" },
    });
    expect(await check({ header: headerFrom("quarantine.example") })).toMatchObject({
      spf: "pass",
      dmarc: { verdict: "fail", policy: "quarantine" },
    });
  });

  test.each([
    ["From: Bob <bob@Sender.example>", "sender.example"],
    ["From: bob@sender.example, eve@sender.example", "sender.example"],
    ["From: bob@sender.example, eve@other.example", null],
    ["From: bob@sender.example\r\nFrom: eve@other.example", null],
    ["Subject: Hello", null],
  ])("%j is checked for %j", async (header, authorDomain) => {
    expect(await check({ header: `${header}\r\n` })).toMatchObject({ authorDomain });
  });

  test("says nothing about a domain without a policy, or a message without From", async () => {
    const none = { verdict: "none", policy: "none" };
    expect(await check({ header: headerFrom("nowhere.example") })).toMatchObject({ dmarc: none });
    expect(await check({ header: "Subject: Hello\r\n" })).toMatchObject({ dmarc: none });
    expect(await check({ header: "" })).toMatchObject({ dmarc: none });
  });

  test.each(["broken.example", "silent.example"])(
    "rejects nothing if the name server of %s does not answer",
    async (domain) => {
      const result = await check(
        { header: headerFrom(domain), returnPath: `bob@${domain}` },
        { lookupMs: 300 },
      );
      expect(result).toMatchObject({ spf: "temperror", dmarc: { verdict: "temperror" } });
    },
  );
});

describe("a message is not known to be from somebody else", () => {
  test.each([
    ["its SPF record", "", "bob@unreadable.example"],
    ["the SPF record of its organization", "", "bob@news.unreadable.example"],
    ["the key of its signature", signature("keyless.example"), ""],
    ["its DMARC record", "", "bob@broken.example"],
  ])("if %s cannot be looked up", async (_, signatures, returnPath) => {
    const domain = /[a-z]+\.example/.exec(signatures + returnPath)?.[0] ?? expect.unreachable();
    const header = signatures + headerFrom(domain);
    expect(await check({ header, returnPath }, { lookupMs: 300 })).toMatchObject({
      alignment: { ...NOTHING, complete: false },
    });
  });

  test("unless what cannot be looked up belongs to another domain", async () => {
    const header = signature("keyless.example") + headerFrom("sender.example");
    for (const returnPath of ["bob@sender.example", "bob@unreadable.example"]) {
      expect(await check({ header, returnPath, clientAddress: "192.0.2.9" })).toMatchObject({
        dmarc: { verdict: "fail", policy: "reject" },
        alignment: NOTHING,
      });
    }
  });
});

describe("without a policy", () => {
  const none = { dmarc: { verdict: "none", policy: "none" } };

  test.each([
    ["SPF passes for the domain in From", "plain.example", "bob@Plain.example", "192.0.2.1", true],
    ["SPF fails for it", "plain.example", "bob@plain.example", "192.0.2.9", false],
    ["SPF passes for another one", "plain.example", "bob@sender.example", "192.0.2.1", false],
    ["SPF passes for the parent domain", "mail.plain.example", "bob@plain.example", "192.0.2.1", false],
  ])("%s", async (_, domain, returnPath, clientAddress, aligned) => {
    const result = await check({ header: headerFrom(domain), returnPath, clientAddress });
    expect(result).toMatchObject({ ...none, alignment: { spf: aligned, signatures: [] } });
  });

  test.each([
    ["plain.example", true],
    ["mail.plain.example", false],
    ["sender.example", false],
  ])("a signature of %s", async (domain, aligned) => {
    const header = await signed(headerFrom("plain.example"), domain);
    const sent = { header, clientAddress: "192.0.2.9", returnPath: "" };
    const signatures = aligned ? [{ wholeBody: true }] : [];
    expect(await check(sent)).toMatchObject({ ...none, alignment: { spf: false, signatures } });
    const changed = { ...sent, header: header.replace("Subject: Hello", "Subject: Other") };
    expect(await check(changed)).toMatchObject({ ...none, alignment: NOTHING });
  });

  test("a message with two authors is aligned with neither", async () => {
    const header = "From: bob@plain.example, eve@sender.example\r\n";
    expect(await check({ header, returnPath: "bob@plain.example" })).toMatchObject({ alignment: NOTHING });
  });
});

describe("a signature", () => {
  const HEADER = "From: bob@plain.example\r\nSubject: Hello\r\nDate: x\r\n";
  /** What a message's signature covers. Its beginning and body may have been changed since it was signed. */
  const covered = async (
    {
      domain = "plain.example",
      fields = "from:subject",
      length,
    }: { readonly domain?: string; readonly fields?: string; readonly length?: number } = {},
    { added = "", body = BODY, zone = ZONE } = {},
  ) => {
    const signature = await signatureOf(`${HEADER}\r\n${BODY}`, domain, fields, length);
    const header = `${added}${signature}${HEADER}`;
    return (await check({ header, body: bodyOf(body), returnPath: "" }, { zone })).alignment;
  };

  test("covers the fields that it names, if they are there", async () => {
    const signatures = [{ wholeBody: true, fields: ["subject", "from"] }];
    expect(await covered({ fields: "From:SUBJECT:subject:Content-Type" })).toEqual({
      ...NOTHING,
      signatures,
    });
    // It covers the last one.
    expect(await covered({}, { added: "Subject: Other\r\n" })).toEqual({ ...NOTHING, signatures });
  });

  test.each([
    [BODY.length, BODY, true],
    [1_000, BODY, true],
    [BODY.length, `${BODY}more\r\n`, false],
    [2, BODY, false],
    [0, BODY, false],
  ])("with l=%s of the body %j", async (length, body, wholeBody) => {
    expect((await covered({ length }, { body })).signatures).toMatchObject([{ wholeBody }]);
  });

  test("of another domain of the organization counts unless the policy says otherwise", async () => {
    const signed = async (policy: string) => {
      const zone = { ...ZONE, "_dmarc.plain.example": { TXT: [policy] } };
      return (await covered({ domain: "mail.plain.example" }, { zone })).signatures.length;
    };
    expect(await signed("v=DMARC1; p=reject")).toBe(1);
    expect(await signed("v=DMARC1; p=reject; adkim=s")).toBe(0);
  });
});

test("SPF for another domain of the organization counts if there is a policy, unless the policy says otherwise", async () => {
  const spf = async (policy: string) => {
    const zone = { ...ZONE, "_dmarc.plain.example": { TXT: [policy] } };
    const header = headerFrom("mail.plain.example");
    return (await check({ header, returnPath: "bob@plain.example" }, { zone })).alignment.spf;
  };
  expect(await spf("v=DMARC1; p=none")).toBe(true);
  expect(await spf("v=DMARC1; p=none; aspf=s")).toBe(false);
});

describe("DMARC may take a neighbor for the author, but not for one who can write as the author:", () => {
  const REJECT = { TXT: ["v=DMARC1; p=reject"] };
  test.each<[string, FakeZone, string, string, "pass" | "none"]>([
    ["below a suffix with a record", { "_dmarc.uk.com": REJECT }, "ada.uk.com", "eve.uk.com", "pass"],
    ["at that suffix", { "_dmarc.uk.com": REJECT }, "ada.uk.com", "uk.com", "pass"],
    ["below that author", { "_dmarc.uk.com": REJECT }, "uk.com", "eve.uk.com", "pass"],
    [
      "below a top-level domain with a record",
      { "_dmarc.example": REJECT },
      "ada.example",
      "eve.example",
      "pass",
    ],
    [
      "below a suffix that is not ASCII",
      { "_dmarc.xn--55qx5d.cn": REJECT },
      "a.xn--55qx5d.cn",
      "b.xn--55qx5d.cn",
      "pass",
    ],
    ["where nobody has a record", {}, "ada.hosting.example", "eve.hosting.example", "none"],
  ])("%s", async (_, records, author, neighbor, verdict) => {
    const zone = {
      ...records,
      [neighbor]: { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
      [`s._domainkey.${neighbor}`]: { TXT: [PUBLISHED] },
    };
    const header = headerFrom(author);
    const sent = await check({ header, returnPath: `eve@${neighbor}` }, { zone });
    expect(sent).toMatchObject({ spf: "pass", dmarc: { verdict }, alignment: NOTHING });
    const signature = await signatureOf(`${header}\r\n${BODY}`, neighbor, "from:subject");
    const sealed = await check({ header: signature + header, returnPath: "" }, { zone });
    expect(sealed.results).toContain("dkim=pass");
    expect(sealed).toMatchObject({ dmarc: { verdict }, alignment: NOTHING });
  });
});

test("SPF counts for an author who writes a dot after the domain", async () => {
  for (const domain of ["plain.example.", "sender.example."])
    expect(
      await check({ header: headerFrom(domain), returnPath: `bob@${domain.slice(0, -1)}` }),
    ).toMatchObject({
      authorDomain: domain.slice(0, -1),
      alignment: { spf: true },
    });
});

test("a chain of ARC sets passes, and fails once something it signs has changed", async () => {
  const first = await signed(headerFrom("sender.example"), "sender.example", {
    authorDomain: "sender.example",
    spf: "pass",
    dmarc: { verdict: "pass", policy: "none" },
    arc: "none",
    results: "spf=pass",
  });
  expect(await check({ header: first })).toMatchObject({ arc: "pass" });
  expect(await check({ header: first.replace("Subject: Hello", "Subject: Other") })).toMatchObject({
    arc: "fail",
  });
});

test("only some of many signatures are checked", async () => {
  const signatures = Array.from({ length: 100 }, (_, i) => signature(`d${i}.example`)).join("");
  const { questions } = await check({ header: signatures + headerFrom("sender.example") });
  expect(questions.filter((question) => question.includes("_domainkey"))).toHaveLength(6);
});

test("a signature of more than 8 KiB is not checked, because each field that it names is looked up among all fields", async () => {
  const signatures = signature("short.example") + signature("long.example", `from${":a".repeat(4_096)}`);
  const { questions } = await check({ header: signatures + headerFrom("sender.example") });
  expect(questions.filter((question) => question.includes("_domainkey"))).toEqual([
    expect.stringContaining("s._domainkey.short.example"),
  ]);
});

/** A body of one line and its line end, in chunks like those of a spool. */
const lineOf = (length: number): MailBody => ({
  size: length + 2,
  read: async function* () {
    for (let sent = 0; sent < length; sent += 65_536) {
      await setImmediate();
      yield Buffer.alloc(Math.min(65_536, length - sent), "a");
    }
    yield Buffer.from("\r\n");
  },
});

test("a signature of a line of 64 KiB is checked, but not one of a longer line, whatever comes before the line", async () => {
  for (const [length, aligned] of [
    // With its CR.
    [65_535, true],
    [65_536, false],
  ] as const) {
    const line = lineOf(length);
    const body: MailBody = {
      size: line.size + 7,
      read: async function* () {
        yield Buffer.from("Hello\r\n");
        yield* line.read();
      },
    };
    const header = headerFrom("plain.example");
    const message = `${header}\r\nHello\r\n${"a".repeat(length)}\r\n`;
    const field = await signatureOf(message, "plain.example", "from");
    const { alignment, spf } = await check({ header: field + header, body, returnPath: "" });
    expect({ spf, isAligned: alignment.signatures.length > 0 }).toEqual({ spf: "none", isAligned: aligned });
  }
});

// mailauth hashes the body for each of them, and takes minutes for a long line.
test("signatures of a long line do not hold up everything else", async () => {
  const signatures = Array.from({ length: 6 }, (_, n) =>
    signature("plain.example", `from; l=${10 ** 9 + n}`),
  );
  const header = signatures.join("") + headerFrom("sender.example");
  expect(await check({ header, body: lineOf(25_000_000) })).toMatchObject({ spf: "pass", arc: "none" });
});

test("a check that takes too long reads no more of the body", async () => {
  let read = 0;
  const body: MailBody = {
    size: 1_000_000,
    read: async function* () {
      for (; read < 1_000; read += 1) {
        await setTimeout(5);
        yield Buffer.alloc(1_000, "a\r\n");
      }
    },
  };
  const authentication = await check({ body }, { checkMs: 200 });
  expect(authentication).toMatchObject({ authorDomain: null, spf: "temperror" });
  const then = read;
  await setTimeout(200);
  expect(read).toBeLessThan(then + 5);
});

// Without a limit, mailauth takes 3 to 10 seconds for each check, during which nothing else happens: together far more than a test may.
test.each([
  ["a long Received", `Received: ${"a ".repeat(125_000)}\r\n${headerFrom("sender.example")}`],
  ["a long Received in quotes", `Received: ${'a "b" '.repeat(41_000)}\r\n${headerFrom("sender.example")}`],
])("%s does not hold up everything else", async (_, header) => {
  expect(header.length).toBeLessThan(MAX_HEADER_OCTETS);
  for (let n = 0; n < 20; n += 1)
    expect(await check({ header })).toMatchObject({ authorDomain: "sender.example", spf: "pass" });
});

test("a check that takes too long ends as temperror, as does one whose body is gone", async () => {
  const unknown = { spf: "temperror", dmarc: { verdict: "temperror", policy: "none" }, arc: "none" };
  const late = await check(
    { header: headerFrom("silent.example"), returnPath: "bob@silent.example" },
    { checkMs: 200 },
  );
  expect(late).toMatchObject(unknown);
  const body: MailBody = {
    size: 1,
    read: async function* () {
      yield new Uint8Array();
      throw new Error("gone");
    },
  };
  expect(await check({ body })).toMatchObject(unknown);
});

test("a check that fails before the end of the body leaves nothing open", async () => {
  let open = 0;
  const body: MailBody = {
    size: 1_000_000,
    read: async function* () {
      open += 1;
      try {
        for (let n = 0; n < 1_000; n += 1) yield Buffer.alloc(1_000, "a\r\n");
      } finally {
        open -= 1;
      }
    },
  };
  const header = await signed(headerFrom("plain.example"), "plain.example");
  // No message is known on which mailauth fails before the end of the body.
  const update = vi.spyOn(Hash.prototype, "update").mockImplementation(() => {
    throw new Error("a defect");
  });
  onTestFinished(() => void update.mockRestore());
  expect(await check({ header, body })).toMatchObject({ authorDomain: null, spf: "temperror" });
  await expect.poll(() => open).toBe(0);
});

test("whatever a header consists of, it is checked, and the results are one well-formed value", async () => {
  const unit = fc.constantFrom(
    "a",
    " ",
    "<",
    ">",
    "@",
    "sender.example",
    "\r\n ",
    ";",
    "(",
    '"',
    "\xe9",
    "\0",
    ",",
    ":",
    "=?utf-8?q?",
  );
  const name = fc.constantFrom("From", "DKIM-Signature", "ARC-Seal", "Received", "ARC-Message-Signature");
  const fields = fc.array(fc.tuple(name, fc.string({ unit, maxLength: 20 })), { maxLength: 5 });
  const dns = await startFakeDns(ZONE);
  const resolver = cachingResolver(`127.0.0.1:${dns.port}`);
  onTestFinished(async () => {
    resolver.close();
    await dns.close();
  });
  await fc.assert(
    fc.asyncProperty(fields, fc.string({ unit, maxLength: 10 }), async (lines, text) => {
      const message = {
        header: lines.map(([field, value]) => `${field}: ${value}\r\n`).join(""),
        body: bodyOf(BODY),
        returnPath: `${text}@sender.example`,
        session: { clientAddress: "192.0.2.1", clientName: text },
      };
      const { results } = (await authenticate(message, "mx.alias.example", resolver.lookup)).authentication;
      expect(results).toMatch(/^(?:[ -~]|\r\n\t)+$/);
      expect(results).not.toContain("mx.alias.example;");
      // The check has not failed as a whole.
      expect(results).not.toBe("spf=temperror; dmarc=temperror");
    }),
    { numRuns: 60 },
  );
});
