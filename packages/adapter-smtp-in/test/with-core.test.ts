import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, mailPlane } from "@postern/mail";
import { type FakeZone, startFakeDns } from "@postern/test-support/fake-dns";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { PUBLISHED, signatureOf } from "../../mail-in/test/support/signature.ts";
import { enveloped, greeted, MESSAGE } from "./support/client.ts";
import { startMx, textOf } from "./support/mx.ts";
import { NOT_FORWARDING } from "./support/not-forwarding.ts";

const account = "tenant-1";
const ADA = "ada@home.example";
const GRACE = "grace@home.example";

/** A server with the real use cases, a store with an alias that has two recipients, and a name server that knows the senders. */
const start = async ({
  limit = 10_000_000,
  records = {},
}: {
  readonly limit?: number;
  readonly records?: FakeZone;
} = {}) => {
  const ports = testPorts();
  const store = memoryStore();
  const aliasDomains = ["alias.example"];
  const service = postern({ store, aliasDomains, ...ports });
  const recipientIds: string[] = [];
  for (const email of [ADA, GRACE]) {
    recipientIds.push(valueOf(await service.adoptRecipient({ account, email })).id);
  }
  const create = async (email: string) =>
    valueOf(await service.createAlias({ account, email, recipientIds }));
  const alias = await create("shop@alias.example");
  const spool = memorySpool({ limit });
  const plane = mailPlane({
    store,
    spool,
    ...NOT_FORWARDING,
    aliasDomains,
    serverName: "mx.alias.example",
    postmaster: "operator@home.example",
    ...ports,
  });
  const dns = await startFakeDns({
    "sender.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "home.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "_dmarc.sender.example": { TXT: ["v=DMARC1; p=reject"] },
    "forged.example": { TXT: ["v=spf1 -all"] },
    "_dmarc.forged.example": { TXT: ["v=DMARC1; p=reject"] },
    "weak.example": { TXT: ["v=spf1 -all"] },
    "_dmarc.weak.example": { TXT: ["v=DMARC1; p=none"] },
    ...records,
  });
  onTestFinished(() => dns.close());
  const mx = await startMx(plane, {}, { spool, dns: `127.0.0.1:${dns.port}` });
  const tallies = async () => valueOf(await service.getAlias({ account, aliasId: alias.id })).tallies;
  const due = async () => valueOf(await spool.take(ports.clock.now(), 100, [])).copies;
  return { service, spool, mx, alias, create, tallies, due };
};

test("a message to an alias is stored with a copy for each recipient, however the alias is written", async () => {
  const { mx, due } = await start();
  const client = await greeted(mx.server.port);
  await client.command("MAIL FROM:<bob@sender.example>");
  for (const to of [
    "shop@alias.example",
    "SHOP@Alias.Example",
    "shop+news@alias.example",
    '"shop"@alias.example',
  ]) {
    expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^250 /);
  }
  expect(await client.data(MESSAGE)).toMatch(/^250 2\.0\.0 queued as [a-z2-7]{26}$/);
  const copies = await due();
  expect(copies.map(({ copy }) => copy.to).sort()).toEqual([ADA, GRACE]);
  for (const { message, body } of copies) {
    expect(message).toMatchObject({
      returnPath: "bob@sender.example",
      header: "From: bob@sender.example\r\nSubject: Hello\r\n",
      authentication: { spf: "pass", dmarc: { verdict: "pass", policy: "reject" }, arc: "none" },
    });
    expect(await textOf(body)).toBe("Hello\r\n.\r\nthe end\r\n");
  }
});

test("a client learns no more than it should about the recipients", async () => {
  const { service, mx, alias, create, tallies } = await start();
  const erased = await create("erased@alias.example");
  valueOf(await service.deleteAlias({ account, aliasId: erased.id }));
  const client = await greeted(mx.server.port);
  await client.command("MAIL FROM:<bob@sender.example>");
  const unknown = await client.command("RCPT TO:<nobody@alias.example>");
  expect(unknown).toMatch(/^550 5\.1\.1 /);
  expect(await client.command("RCPT TO:<erased@alias.example>")).toBe(unknown);
  expect(await client.command(`RCPT TO:<b-${"a".repeat(26)}@alias.example>`)).toBe(unknown);
  expect(await client.command("RCPT TO:<nobody@elsewhere.example>")).toMatch(/^550 5\.7\.1 /);
  valueOf(await service.updateAlias({ account, aliasId: alias.id, active: false }));
  expect(await client.command("RCPT TO:<shop@alias.example>")).toMatch(/^550 5\.2\.1 /);
  expect((await tallies()).blocked.count).toBe(1);
  expect(JSON.stringify(mx.events)).not.toMatch(/@|ada|grace/);
});

test("a message to an inactive alias counts once, however often the client names it", async () => {
  const { service, mx, alias, tallies } = await start();
  valueOf(await service.updateAlias({ account, aliasId: alias.id, active: false }));
  const client = await greeted(mx.server.port);
  for (const count of [1, 2, 3]) {
    expect(await client.command("MAIL FROM:<bob@sender.example>")).toMatch(/^250 /);
    for (const to of ["shop@alias.example", "shop+a@alias.example", "SHOP+b@alias.example"]) {
      expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^550 5\.2\.1 /);
    }
    expect((await tallies()).blocked.count).toBe(count);
    const log = valueOf(await service.listMessages({ account, aliasId: alias.id })).items;
    expect(log).toMatchObject([{ blocked: "alias_inactive", count }]);
    // A transaction ends with RSET, or with the message.
    if (count === 1) await client.command("RSET");
    else {
      await client.command("RCPT TO:<postmaster>");
      expect(await client.data(MESSAGE)).toMatch(/^250 /);
    }
  }
});

test("a report that other parsers take forever to read blocks nothing", async () => {
  const { mx } = await start();
  const part = (type: string, content: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
  const report = [
    'From: bob@sender.example\r\nContent-Type: multipart/report; boundary="b"\r\n\r\n',
    part("text/plain", "x"),
    part("text/html", `<a ${"href=".repeat(50_000)}`),
    "--b--\r\n",
  ].join("");
  for (const to of ["abuse@alias.example", "postmaster@alias.example"]) {
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<bob@sender.example>");
    expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^250 /);
    expect(await client.data(report)).toMatch(/^250 /);
  }
});

test("a report to a hundred spellings of the operator's mailbox is read once, and the operator gets one copy", async () => {
  const { mx, due } = await start();
  const client = await greeted(mx.server.port);
  await client.command("MAIL FROM:<>");
  for (let n = 0; n < 50; n += 1) {
    expect(await client.command(`RCPT TO:<abuse+${n}@alias.example>`)).toMatch(/^250 /);
    expect(await client.command(`RCPT TO:<Postmaster+${n}@alias.example>`)).toMatch(/^250 /);
  }
  const complaint = [
    "From: fbl@nowhere.example",
    "Content-Type: multipart/report; boundary=b",
    "",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    `${"Return-Path: b\r\n".repeat(15_000)}--b--`,
  ].join("\r\n");
  expect(await client.data(complaint)).toMatch(/^250 /);
  const reports = mx.events.filter(({ type }) => type === "report");
  expect(reports).toEqual([{ type: "report", result: "unknown_copy" }]);
  expect((await due()).map(({ copy }) => copy.to)).toEqual(["operator@home.example"]);
});

test("a forged sender, a loop and a full spool are refused, and only the forged sender counts", async () => {
  const { mx, tallies, due } = await start({ limit: 40_000 });
  const forged = await enveloped(mx.server.port);
  expect(await forged.data("From: boss@forged.example\r\n\r\nHello")).toMatch(/^550 5\.7\.26 /);
  expect((await tallies()).blocked.count).toBe(1);
  const circling = await enveloped(mx.server.port);
  const hops = "Received: from a by b\r\n".repeat(51);
  expect(await circling.data(`${hops}From: bob@sender.example\r\n\r\nHello`)).toMatch(/^554 5\.4\.6 /);
  const large = await enveloped(mx.server.port);
  expect(await large.data(`From: bob@sender.example\r\n\r\n${"x".repeat(50_000)}`)).toMatch(/^452 4\.3\.1 /);
  expect(await due()).toEqual([]);
  expect((await tallies()).blocked.count).toBe(1);
});

/** In the name of somebody whose domain has the policy `reject`, from a client that may send for another domain. */
const FORGED = [
  "boss@forged.example",
  "boss@forged.example>",
  '"The boss" <boss@forged(x).example>',
  "boss@forged. example (The boss)",
  '[, "The boss" <boss@forged.example>',
  "boss@forged.example\r\nFrom: bob@sender.example",
  "bob@sender.example\r\nFrom: boss@forged.example",
  "<boss@forged.example>, bob@sender.example",
  "bob@sender.example, <boss@forged.example>",
  "'boss@forged.example'",
  "boss@forged..example",
  "boss@[forged.example]",
  "The boss <boss@xn--forged-.example>",
  `boss@forged.example\xa0`,
  `boss@${"a".repeat(64)}.forged.example`,
];

test.each(FORGED)("a client cannot write in the name of another domain: From: %j", async (from) => {
  const { mx, due } = await start();
  const client = await enveloped(mx.server.port);
  expect(await client.data(`From: ${from}\r\n\r\nHello`)).toMatch(/^55[04] 5\.(?:7\.26|6\.0) /);
  expect(await due()).toEqual([]);
});

/** Parts of a `From`. */
const part = fc.constantFrom(
  ...["boss", "bob", "ada", "@", "forged.example", "sender.example", "weak.example"],
  ...["boss@forged.example", "bob@sender.example", "ada@weak.example"],
  ...["<", ">", ",", ";", ":", "(x)", "(", ")", '"', "\\", " ", ".", "\r\n ", "\r\nFrom:", "=?utf-8?q?=40?="],
);

test("whatever From consists of, only an alias's recipients can write as the alias", async () => {
  const { service, mx } = await start();
  const recipient = valueOf(await service.adoptRecipient({ account, email: "ada@weak.example" }));
  const alias = valueOf(
    await service.createAlias({ account, email: "weak@alias.example", recipientIds: [recipient.id] }),
  );
  const { reverseAddress } = valueOf(
    await service.createContact({ account, aliasId: alias.id, email: "bob@sender.example" }),
  );
  const client = await greeted(mx.server.port);
  const replyTo = async (from: string) => {
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command(`RCPT TO:<${reverseAddress}>`);
    return client.data(`From: ${from}\r\n\r\nHello`);
  };
  // mailauth reads the first address in it; a reader that ignores the unclosed comment reads the second one.
  expect(await replyTo("bob@sender.example(y:ada@weak.example")).toMatch(/^554 5\.6\.0 /);
  // Whoever may not write in a name does not learn whether it belongs to a recipient.
  expect(await replyTo("ada@weak.example")).toMatch(/^550 5\.7\.26 /);
  expect(await replyTo("eve@weak.example")).toBe(await replyTo("ada@weak.example"));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
      expect(await replyTo(parts.join(""))).toMatch(/^55[04] /);
    }),
    { numRuns: 500 },
  );
});

test("whatever From consists of, a sender in whose name the client may not write does not become a contact", async () => {
  const { service, mx, alias } = await start();
  const client = await greeted(mx.server.port);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
      await client.command("MAIL FROM:<bob@sender.example>");
      await client.command("RCPT TO:<shop@alias.example>");
      const reply = await client.data(`From: ${parts.join("")}\r\n\r\nHello`);
      expect(reply).toMatch(/^(?:250|55[04]) /);
      if (reply.startsWith("250")) accepted += 1;
    }),
    { numRuns: 500 },
  );
  const { items } = valueOf(await service.listContacts({ account, aliasId: alias.id, limit: 100 }));
  expect(items.map(({ email }) => email).filter((email) => /[@.]forged\.example$/.test(email))).toEqual([]);
  expect(accepted).toBeGreaterThan(0);
});

/**
 * The domain that people see who know nothing of syntax but angle brackets: after the last @, without comments, and what is not a part of
 * names or cannot be seen.
 */
const seenDomain = (from: string): string | undefined =>
  Buffer.from(from, "latin1")
    .toString()
    .normalize("NFKC")
    .replace(/\([^()]*\)/g, "")
    .replace(/^.*<([^<>]*@[^<>]*)>.*$/s, "$1")
    .split("@")
    .at(-1)
    ?.split(/[,;:/?]/, 1)[0]
    ?.replace(/[^\p{L}\p{N}._-]|[\u115f\u1160\u3164]/gu, "")
    .replace(/\.+/g, ".")
    .replace(/^\.|\.$/g, "")
    .toLowerCase();

test("whatever is in or around the address in From, nobody sees a domain for which the client may not write", async () => {
  const { mx } = await start();
  const client = await greeted(mx.server.port);
  const noise = fc.constantFrom(
    ...["'", '"', "`", "<", ">", "[", "]", "{", "}", "(x)", "(", ")", "\\", " ", "\t"],
    ...[
      ".",
      "..",
      ",",
      ";",
      "!",
      "#",
      "=",
      "|",
      "*",
      "/",
      "?",
      "&",
      "\x01",
      "\x7f",
      "\x80",
      "\xa0",
      "\xad",
      "\xff",
    ],
    ...["\xc2\xa0", "\xc2\xad", "\xe2\x80\x8b", "\xe3\x85\xa4", "\xef\xbb\xbf", "=?utf-8?q??="],
  );
  const address = fc.constantFrom<string[]>("boss@forged.example", "bob@sender.example");
  const seen = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(
      address,
      fc.array(fc.tuple(fc.nat(30), noise), { maxLength: 4 }),
      async (written, inserted) => {
        const from = inserted.reduce(
          (text, [at, part]) => text.slice(0, at) + part + text.slice(at),
          written,
        );
        await client.command("MAIL FROM:<bob@sender.example>");
        await client.command("RCPT TO:<shop@alias.example>");
        const reply = await client.data(`From: ${from}\r\n\r\nHello`);
        expect(reply).toMatch(/^(?:250|55[04]) /);
        if (!reply.startsWith("250")) return;
        seen.add(seenDomain(from));
        expect(seenDomain(from)).not.toMatch(/(?:^|\.)forged\.example$/);
      },
    ),
    { numRuns: 500 },
  );
  expect(seen).toContain("sender.example");
});

test("a recipient can reply to whoever wrote to the alias; nobody else can, nor can programs", async () => {
  const { service, spool, mx, alias, due } = await start();
  const { reverseAddress } = valueOf(
    await service.createContact({ account, aliasId: alias.id, email: "bob@sender.example" }),
  );
  const client = await greeted(mx.server.port);
  const send = async (from: string, header = "") => {
    await client.command(`MAIL FROM:<${from}>`);
    expect(await client.command(`RCPT TO:<${reverseAddress.toUpperCase()}>`)).toMatch(/^250 /);
    return client.data(`From: ${from}\r\n${header}\r\nHello`);
  };
  expect(await send("eve@sender.example")).toMatch(/^550 5\.7\.1 Only mailboxes that the alias forwards to /);
  // No policy, but SPF for exactly this domain.
  expect(await send(ADA)).toMatch(/^250 2\.0\.0 queued as/);
  expect(await send("grace@home.example", "Auto-Submitted: auto-replied\r\n")).toMatch(
    /^550 5\.7\.1 Automatic /,
  );
  const copies = await due();
  expect(copies.map(({ copy }) => [copy.to, copy.purpose.kind])).toEqual([["bob@sender.example", "reply"]]);
  expect(copies[0]?.message.header).toMatch(/^From: <shop@alias\.example>\r\n/);
  for (const { copy } of copies) valueOf(await spool.drop(copy.id, 7));

  const [contact] = valueOf(await service.listContacts({ account, aliasId: alias.id })).items;
  const target = { account, aliasId: alias.id, contactId: contact?.id ?? "" };
  valueOf(await service.updateContact({ ...target, blocking: "reject" }));
  await client.command("MAIL FROM:<bob@sender.example>");
  await client.command("RCPT TO:<shop@alias.example>");
  expect(await client.data("From: bob@sender.example\r\n\r\nHello")).toMatch(
    /^550 5\.7\.1 The recipient does not accept mail from you/,
  );
  expect(JSON.stringify(mx.events)).not.toMatch(/@|ada|grace|bob/);
});

describe.each([
  ["without a policy", {}],
  ["with p=reject", { "_dmarc.home.example": { TXT: ["v=DMARC1; p=reject"] } }],
])("a message that a recipient signed, on a domain %s,", (_, policy) => {
  const TYPE = "Content-Type: text/plain\r\n";
  const HEADER = `From: ${ADA}\r\nTo: list@elsewhere.example\r\nSubject: Lunch\r\n`;
  const ALL = "from:to:subject:content-type";
  const REFUSED = /^550 5\.7\.26 /;
  const REPEATED = /^554 5\.6\.0 /;

  test.each<{
    readonly title: string;
    /** Of the message that the recipient signed. */
    readonly type?: string;
    readonly fields?: string;
    readonly length?: number;
    /** How somebody alters it. */
    readonly added?: string;
    readonly change?: (message: string) => string;
    readonly returnPath?: string;
    readonly answer: RegExp;
  }>([
    { title: "as it was", answer: /^250 / },
    { title: "with another body", change: (message) => message.replace("Yes", "No"), answer: REFUSED },
    {
      title: "with more of a body of which only a part is signed",
      length: 6,
      change: (message) => `${message}No`,
      answer: REFUSED,
    },
    { title: "with another subject above it", added: "Subject: Dinner\r\n", answer: REPEATED },
    { title: "with another type above it", added: 'Content-Type: text/html; x="a"\r\n', answer: REPEATED },
    {
      title: "with another type, which is not signed",
      fields: "from:to:subject",
      change: (message) => message.replace("plain", "html"),
      answer: REFUSED,
    },
    {
      title: "with a type, which it did not have",
      type: "",
      added: TYPE,
      fields: "from:to:subject",
      answer: REFUSED,
    },
    {
      title: "without its type, which is not signed",
      fields: "from:to:subject",
      change: (message) => message.replace(TYPE, ""),
      answer: REFUSED,
    },
    {
      title: "with a type that is not signed, from a server of the domain",
      fields: "from:to:subject",
      returnPath: ADA,
      answer: /^250 /,
    },
  ])(
    "$title",
    async ({
      type = TYPE,
      fields = ALL,
      length,
      added = "",
      change = (message) => message,
      returnPath,
      answer,
    }) => {
      const { service, mx, alias, due } = await start({
        records: { "s._domainkey.home.example": { TXT: [PUBLISHED] }, ...policy },
      });
      const { reverseAddress } = valueOf(
        await service.createContact({ account, aliasId: alias.id, email: "bob@sender.example" }),
      );
      const message = `${HEADER}${type}\r\nYes.\r\n`;
      const signature = await signatureOf(message, "home.example", fields, length);
      const client = await greeted(mx.server.port);
      await client.command(`MAIL FROM:<${returnPath ?? "eve@sender.example"}>`);
      await client.command(`RCPT TO:<${reverseAddress}>`);
      expect(await client.data(`${added}${signature}${change(message)}`)).toMatch(answer);
      expect((await due()).length).toBe(answer.test("250 ") ? 1 : 0);
    },
  );
});

const report = (action: string) =>
  [
    "From: MAILER-DAEMON@relay.example",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; relay.example",
    "",
    `Final-Recipient: rfc822; ${ADA}`,
    `Action: ${action}`,
    "--b--",
  ].join("\r\n");

test("a report to a copy's address is about that copy, and counts once, however often it arrives", async () => {
  const { spool, mx, due } = await start();
  const client = await enveloped(mx.server.port);
  await client.data(MESSAGE);
  const [first] = await due();
  if (first === undefined) throw new Error("nothing is due");
  valueOf(
    await spool.settle(
      first.copy.id,
      Copy.after(first.copy, { kind: "accepted" }, 1, () => 0),
      null,
    ),
  );
  const send = async (action: string) => {
    await client.command("MAIL FROM:<>");
    await client.command(`RCPT TO:<B-${first.copy.id.toUpperCase()}@alias.example>`);
    expect(await client.data(report(action))).toBe("250 2.0.0 OK");
  };
  await send("delayed");
  for (let i = 0; i < 3; i += 1) await send("failed");
  expect(mx.events.filter(({ type }) => type === "report")).toEqual(
    ["delayed", "bounced", "duplicate", "duplicate"].map((result) => ({ type: "report", result })),
  );
  const outcomes = valueOf(await spool.uncounted(10)).map(({ event }) => event.outcome);
  expect(outcomes).toEqual(["sent", "bounced"]);
});

test("whoever answers the envelope sender reaches the recipient who wrote, and never one who was written to", async () => {
  const { service, mx, alias, due } = await start();
  const { reverseAddress } = valueOf(
    await service.createContact({ account, aliasId: alias.id, email: "bob@sender.example" }),
  );
  const client = await greeted(mx.server.port);
  const send = async (from: string, to: string, message: string) => {
    await client.command(`MAIL FROM:<${from}>`);
    expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^250 /);
    return client.data(message);
  };
  expect(await send(ADA, reverseAddress, `From: ${ADA}\r\n\r\nHello`)).toMatch(/^250 /);
  const [written] = await due();
  const away = "Auto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nUntil Monday";
  // The domain asks to reject what is neither signed nor from its servers; without an envelope sender, there is nothing to check.
  const sent = await send("", `b-${written?.copy.id}@alias.example`, `From: bob@sender.example\r\n${away}`);
  expect(sent).toMatch(/^250 2\.0\.0 queued as /);
  const [answer, ...others] = await due();
  expect(others).toEqual([]);
  expect(answer?.copy).toMatchObject({ to: ADA, purpose: { kind: "forward" } });
  // And this one comes to those who wrote to the alias.
  expect(await send("", `b-${answer?.copy.id}@alias.example`, `From: ${ADA}\r\n${away}`)).toMatch(
    /^550 5\.7\.1 Only reports of delivery /,
  );
  expect(await due()).toEqual([]);
});

test("postmaster gets a copy, with and without a domain", async () => {
  const { mx, due } = await start();
  for (const to of ["postmaster", "Abuse@alias.example"]) {
    const client = await enveloped(mx.server.port, to);
    expect(await client.data(MESSAGE)).toMatch(/^250 /);
  }
  expect((await due()).map(({ copy }) => copy.to)).toEqual([
    "operator@home.example",
    "operator@home.example",
  ]);
});
