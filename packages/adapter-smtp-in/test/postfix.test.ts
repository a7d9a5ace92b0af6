import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { memorySpool, memoryStore } from "@postern/adapter-memory";
import { dkimSigner, smtpRelay } from "@postern/adapter-smtp";
import { type EmailAddress, parseDomain, parseEmailAddress, postern } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { Copy, type MailBody, mailPlane } from "@postern/mail";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { type Forwarder, startForwarder } from "@postern/test-support/forwarder";
import { type Postfix, startPostfix, swaks } from "@postern/test-support/postfix";
import { verifyElsewhere } from "@postern/test-support/signature-verifiers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { copyId, type Mx, startMx } from "./support/mx.ts";
import { NOT_FORWARDING } from "./support/not-forwarding.ts";

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

/** Where Postfix delivers mail, and its reports. All tests share one Postfix, which takes seconds to start. */
let mailboxes: Forwarder;
let bounces: Forwarder;
let postfix: Postfix;

beforeAll(async () => {
  [mailboxes, bounces] = [await startForwarder(), await startForwarder()];
  postfix = await startPostfix({ "example.com": mailboxes.port, "alias.example": bounces.port });
});

afterAll(async () => {
  await postfix.stop();
  for (const forwarder of [mailboxes, bounces]) forwarder.stop();
});

type Taken = { readonly to: string; readonly from: string; readonly raw: string };

/** Where Postfix delivers mail. `reply` decides on each recipient; null accepts it. */
const startSink = async (
  reply: (address: string) => number | null = () => null,
  options: SMTPServerOptions = {},
) => {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    ...options,
    logger: false,
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = reply(address);
      done(responseCode === null ? null : Object.assign(new Error(`<${address}>: no`), { responseCode }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        taken.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          to: envelope.rcptTo.map(({ address }) => address).join(),
          raw: Buffer.concat(chunks).toString("latin1"),
        });
        done();
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return { port: address.port, taken };
};

const bodyOf = (text: string): MailBody => ({
  size: text.length,
  read: async function* () {
    yield Buffer.from(text, "latin1");
  },
});

const address = (text: string): EmailAddress => valueOf(parseEmailAddress(text));
const from = address(`b-${copyId}@alias.example`);
const header =
  "From: r-x@alias.example\r\nTo: shop@alias.example\r\nSubject: Hello\r\nDate: Sun, 22 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@sender.example>\r\n";
const body = bodyOf("Hello \xe9\r\n.\r\n..\r\n");

/** Our relay is Postfix, which from now on delivers reports to this server, and all other mail to a sink. */
const startRelay = async (
  mx: Mx,
  reply?: (address: string) => number | null,
  options?: SMTPServerOptions,
) => {
  const sink = await startSink(reply, options);
  mailboxes.leadTo(sink.port);
  bounces.leadTo(mx.server.port);
  const relay = smtpRelay({
    url: `smtp://127.0.0.1:${postfix.port}?ignoreTLS=true`,
    name: "mx.alias.example",
    connections: 2,
  });
  onTestFinished(() => relay.close());
  const reports = () => mx.events.filter((event) => event.type === "report").map(({ result }) => result);
  return { sink, relay, reports };
};

const start = async (reply?: (address: string) => number | null, options?: SMTPServerOptions) => {
  const mx = await startMx();
  const { relay, ...started } = await startRelay(mx, reply, options);
  const send = (to: string) => relay.send({ envelope: { from, to: address(to) }, header, body });
  return { mx, relay, send, ...started };
};

describe("a real Postfix as relay", () => {
  test("delivers copies octet by octet, each with its own envelope", async () => {
    const { sink, send } = await start();
    expect(await send("ada@example.com")).toEqual({ kind: "accepted" });
    expect(await send("grace@example.com")).toEqual({ kind: "accepted" });
    await expect.poll(() => sink.taken.length).toBe(2);
    expect(sink.taken.map(({ to }) => to).sort()).toEqual(["ada@example.com", "grace@example.com"]);
    for (const { raw, ...envelope } of sink.taken) {
      expect(envelope.from).toBe(from);
      expect(raw.endsWith(`${header}\r\nHello \xe9\r\n.\r\n..\r\n`)).toBe(true);
    }
  });

  test("reports a mailbox that does not exist to the copy's address, where the report is understood", async () => {
    const { sink, mx, send } = await start(() => 550);
    expect(await send("ada@example.com")).toEqual({ kind: "accepted" });
    await expect.poll(() => mx.reports.length).toBe(1);
    const [report] = mx.reports;
    expect(report?.returnPath).toBe("");
    const status = report?.parts.find(({ type }) => type === "message/delivery-status");
    expect(status?.content).toMatch(/^Action: failed/m);
    expect(report?.parts.map(({ type }) => type)).toContain("message/rfc822");
    expect([sink.taken, mx.arrived]).toEqual([[], []]);
  });

  test("retries greylisted mail, and reports nothing", async () => {
    const tries = new Map<string, number>();
    const { sink, mx, send } = await start((recipient) => {
      tries.set(recipient, (tries.get(recipient) ?? 0) + 1);
      return tries.get(recipient) === 1 ? 450 : null;
    });
    expect(await send("ada@example.com")).toEqual({ kind: "accepted" });
    await expect.poll(() => sink.taken.length).toBe(1);
    expect(tries.get("ada@example.com")).toBe(2);
    expect(mx.reports).toEqual([]);
  });

  test("refuses a message that is too large", async () => {
    const { relay } = await start();
    const large = bodyOf(`${"x".repeat(98)}\r\n`.repeat(11_000));
    expect(
      await relay.send({ envelope: { from, to: address("ada@example.com") }, header, body: large }),
    ).toMatchObject({ kind: "refused", code: 552, status: "5.3.4" });
  });

  test("is in trouble as a whole when it is stopped", async () => {
    const stopped = await startPostfix({});
    onTestFinished(() => stopped.stop());
    const relay = smtpRelay({
      url: `smtp://127.0.0.1:${stopped.port}?ignoreTLS=true`,
      name: "mx.alias.example",
      connections: 1,
    });
    onTestFinished(() => relay.close());
    const mail = { envelope: { from, to: address("ada@nowhere.example") }, header, body };
    expect(await relay.send(mail)).toMatchObject({ kind: "refused", code: 550, status: "5.1.2" });
    await stopped.stop();
    expect(await relay.send(mail)).toMatchObject({ kind: "deferred", about: "relay", code: null });
  });

  /** Messages that Postfix changes on the way: it breaks long lines and, for servers without 8BITMIME, converts what is 8-bit. */
  const parts = (...some: readonly string[]) =>
    bodyOf(`${some.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`);
  const [MIME, MULTIPART] = ["MIME-Version: 1.0\r\n", 'Content-Type: multipart/mixed; boundary="b"\r\n'];
  const EIGHT_BIT = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n";
  const mails: readonly { readonly fields: string; readonly body: MailBody }[] = [
    { fields: "", body: bodyOf("Hello\r\n.\r\n..\r\n") },
    { fields: "", body },
    { fields: `${MIME}${EIGHT_BIT}`, body: bodyOf("Gr\xc3\xbc\xc3\x9fe = \r\n") },
    { fields: `${MIME}${EIGHT_BIT}`, body: bodyOf("in ASCII = \r\n") },
    { fields: `${MIME}Content-Type: text/html\r\n`, body: bodyOf(`<p>${"word ".repeat(400)}</p>\r\n`) },
    {
      fields: `${MIME}Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n`,
      body: bodyOf(`${"\x01\xff".repeat(3_000)}\r\n`),
    },
    {
      fields: `${MIME}${MULTIPART}Content-Transfer-Encoding: 8bit\r\n`,
      body: parts(
        `${EIGHT_BIT}\r\nGr\xc3\xbc\xc3\x9fe`,
        `${EIGHT_BIT}\r\nin ASCII = `,
        `Content-Type: message/rfc822\r\n\r\nSubject: Hi\r\n${EIGHT_BIT}\r\nGr\xc3\xbc\xc3\x9fe`,
        `Content-Type: image/png; name="${"n ".repeat(600)}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${"QUJD".repeat(600)}`,
      ),
    },
  ];

  test("leaves signatures valid, for three verifiers, also if the next server lacks 8BITMIME", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const published = `v=DKIM1; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
    const dns = await startFakeDns({ "s._domainkey.alias.example": { TXT: [published] } });
    onTestFinished(() => dns.close());
    const signer = dkimSigner({ key, selector: "s", arc: { server: "mx.alias.example" } });
    for (const hide8BITMIME of [false, true]) {
      const { sink, relay } = await start(undefined, { hide8BITMIME });
      for (const { fields, body } of mails) {
        const signed = valueOf(
          await signer.sign({
            domain: valueOf(parseDomain("alias.example")),
            header: header + fields,
            body,
            authentication: {
              authorDomain: "sender.example",
              spf: "pass",
              dmarc: { verdict: "pass", policy: "none" },
              arc: "none",
              results: "spf=pass",
            },
          }),
        );
        await relay.send({ envelope: { from, to: address("ada@example.com") }, ...signed });
      }
      await expect.poll(() => sink.taken.length).toBe(mails.length);
      const passes = { dkim: "pass", arc: "pass" };
      const messages = sink.taken.map(({ raw }) => raw);
      expect(await verifyElsewhere(messages, dns.port)).toEqual(
        mails.map(() => ({ perl: passes, python: passes })),
      );
    }
  });
});

describe("a message to an alias with two recipients, one of whose mailboxes does not exist", () => {
  test("reaches the other one, and Postfix's report counts for the copy to the missing mailbox", async () => {
    const ports = testPorts();
    const store = memoryStore();
    const aliasDomains = ["alias.example"];
    const service = postern({ store, aliasDomains, ...ports });
    const account = "tenant-1";
    const recipientIds: string[] = [];
    for (const email of ["ada@example.com", "gone@example.com"]) {
      recipientIds.push(valueOf(await service.adoptRecipient({ account, email })).id);
    }
    valueOf(await service.createAlias({ account, email: "shop@alias.example", recipientIds }));
    const spool = memorySpool({ limit: 10_000_000 });
    const plane = mailPlane({
      store,
      spool,
      ...NOT_FORWARDING,
      aliasDomains,
      serverName: "mx.alias.example",
      postmaster: "operator@home.example",
      ...ports,
    });
    const mx = await startMx(plane, {}, { spool });
    const { sink, relay, reports } = await startRelay(mx, (recipient) =>
      recipient.startsWith("gone@") ? 550 : null,
    );

    const { code } = await swaks(mx.server.port, [
      "--from",
      "bob@sender.example",
      "--to",
      "shop@alias.example",
    ]);
    expect(code).toBe(0);
    const copies = valueOf(await spool.take(ports.clock.now(), 10, [])).copies;
    expect(copies).toHaveLength(2);
    for (const due of copies) {
      // The core rewrites it to forward it; here it is sent as it came.
      const { header } = due.message;
      const sender = address(`b-${due.copy.id}@alias.example`);
      const answer = await relay.send({
        envelope: { from: sender, to: due.copy.to },
        header,
        body: due.body,
      });
      expect(answer).toEqual({ kind: "accepted" });
      const settlement = Copy.after(due.copy, answer, ports.clock.now(), () => 0);
      valueOf(await spool.settle(due.copy.id, settlement, null));
    }
    await expect.poll(() => sink.taken.map(({ to }) => to)).toEqual(["ada@example.com"]);
    await expect.poll(() => reports()).toEqual(["bounced"]);
    const gone = copies.find(({ copy }) => copy.to === "gone@example.com")?.copy;
    const outcomes = valueOf(await spool.uncounted(10)).map(({ event }) => event.id);
    expect(outcomes.filter((id) => id.endsWith(":bounced"))).toEqual([`${gone?.id}:bounced`]);
    expect(outcomes).toHaveLength(3);
  });
});

describe("swaks as a client", () => {
  const send = async (...parameters: readonly string[]) => {
    const mx = await startMx();
    const sent = await swaks(mx.server.port, [
      "--from",
      "bob@sender.example",
      "--helo",
      "client.example",
      ...parameters,
    ]);
    return { mx, ...sent };
  };

  test("sends a message", async () => {
    const { mx, code } = await send("--to", "shop@alias.example", "--body", "one\n.two\n..three\n.\nfour");
    expect(code).toBe(0);
    expect(mx.arrived).toMatchObject([
      { body: expect.stringContaining("one\r\n.two\r\n..three\r\n.\r\nfour") },
    ]);
  });

  test("is told about each recipient, and the others get the message", async () => {
    const { mx, code, output } = await send("--to", "unknown@alias.example,shop@alias.example", "--pipeline");
    expect(code).toBe(0);
    expect(output).toContain("550 5.1.1 There is no such mailbox");
    expect(mx.arrived).toMatchObject([{ recipients: [{ alias: { email: "shop@alias.example" } }] }]);
  });

  test("is told that no mail is accepted for another domain", async () => {
    const { code, output } = await send("--to", "ada@example.com");
    expect(code).toBe(24);
    expect(output).toContain("550 5.7.1 ");
  });

  test("finds no TLS without a certificate", async () => {
    const { mx, code } = await send("--to", "shop@alias.example", "--tls");
    expect(code).not.toBe(0);
    expect(mx.arrived).toEqual([]);
  });
});
