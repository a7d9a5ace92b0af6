import {
  err,
  ok,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseSpoolMark,
  type Result,
  type Unavailable,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { MailPlane, ReportResult } from "@postern/mail";
import { newCertificate } from "@postern/test-support/certificate";
import { newDirectory } from "@postern/test-support/new-directory";
import { createTransport } from "nodemailer";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, enveloped, greeted, MESSAGE } from "./support/client.ts";
import { copyId, messageId, startMx } from "./support/mx.ts";

const HEADER = "From: bob@sender.example\r\nSubject: Hello\r\n";

test("a message arrives as it was sent, with what is known about its sender", async () => {
  const mx = await startMx();
  const client = await connect(mx.server.port);
  expect(await client.reply()).toBe("220 mx.alias.example ESMTP Postern");
  expect(await client.command("EHLO Client.example")).toMatch(/\r\n250-8BITMIME\r\n250 SIZE 1000000$/);
  expect(await client.command("MAIL FROM:<bob@sender.example> SIZE=1000 BODY=8BITMIME")).toMatch(/^250 /);
  expect(await client.command("RCPT TO:<shop@alias.example>")).toMatch(/^250 /);
  expect(await client.command("RCPT TO:<postmaster>")).toMatch(/^250 /);
  expect(await client.data(MESSAGE)).toBe(`250 2.0.0 queued as ${messageId}`);
  expect(mx.arrived).toMatchObject([
    {
      returnPath: "bob@sender.example",
      header: HEADER,
      body: "Hello\r\n.\r\nthe end\r\n",
      session: { clientAddress: "127.0.0.1", clientName: "client.example", protocol: "ESMTP" },
      authentication: { spf: "temperror", arc: "none" },
      recipients: [{ kind: "alias" }, { kind: "postmaster" }],
    },
  ]);
  expect(mx.bodiesLeft()).toBe(0);
  expect(await client.command("QUIT")).toMatch(/^221 /);
});

test("nodemailer can send several messages, pipelined, in one connection", async () => {
  const mx = await startMx();
  const transport = createTransport({
    host: "127.0.0.1",
    port: mx.server.port,
    pool: true,
    maxConnections: 1,
  });
  onTestFinished(() => transport.close());
  for (const text of ["one", "two", "three"]) {
    await transport.sendMail({ from: "bob@sender.example", to: "shop@alias.example", text });
  }
  expect(mx.arrived.map(({ body }) => body)).toEqual(["one\r\n", "two\r\n", "three\r\n"]);
});

test("accepts HELO and the null sender", async () => {
  const mx = await startMx();
  const client = await connect(mx.server.port);
  await client.reply();
  await client.command("HELO client");
  expect(await client.command("MAIL FROM:<>")).toMatch(/^250 /);
  await client.command("RCPT TO:<shop@alias.example>");
  await client.data(MESSAGE);
  expect(mx.arrived).toMatchObject([{ returnPath: "", session: { protocol: "SMTP" } }]);
});

describe("recipients", () => {
  test.each([
    ["someone@elsewhere.example", "550 5.7.1 No mail is accepted for this domain"],
    ["unknown@alias.example", "550 5.1.1 There is no such mailbox"],
    ["inactive@alias.example", "550 5.2.1 This mailbox does not accept mail at the moment"],
    ["full@alias.example", "452 4.2.2 The mailbox is full, try again later"],
  ])("%s: %s", async (address, reply) => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<bob@sender.example>");
    expect(await client.command(`RCPT TO:<${address}>`)).toBe(reply);
    expect(await client.data(MESSAGE)).toMatch(/^503 /);
    expect(JSON.stringify(mx.events)).not.toContain("@");
    expect(mx.events).toMatchObject([{ type: "reply", step: "RCPT", message: null, cause: null }]);
  });

  test("an unavailable store, or one that throws, is a temporary failure", async () => {
    const cause = { source: "sqlite", reason: "SQLITE_BUSY" };
    for (const admitRecipient of [
      async () => err({ code: "unavailable" as const, cause }),
      async () => Promise.reject(new Error("thrown")),
    ]) {
      const mx = await startMx({ admitRecipient });
      const client = await greeted(mx.server.port);
      await client.command("MAIL FROM:<bob@sender.example>");
      expect(await client.command("RCPT TO:<shop@alias.example>")).toBe(
        "451 4.3.0 Temporary failure, try again later",
      );
    }
  });

  test("the 11th unknown recipient ends the connection", async () => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    for (let i = 0; i < 10; i += 1) {
      if (i % 3 === 0) {
        await client.command("RSET");
        await client.command("MAIL FROM:<bob@sender.example>");
      }
      expect(await client.command("RCPT TO:<unknown@alias.example>")).toMatch(/^550 5\.1\.1 /);
      expect(await client.command("RCPT TO:<shop@alias.example>")).toMatch(/^250 /);
    }
    expect(await client.command("RCPT TO:<unknown@alias.example>")).toBe(
      "421 4.7.0 Too many invalid recipients",
    );
    expect(await client.reply()).toBe("closed");
  });

  test("recipients that accept no mail count like unknown ones", async () => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<bob@sender.example>");
    for (let i = 0; i < 5; i += 1) {
      expect(await client.command("RCPT TO:<inactive@alias.example>")).toMatch(/^550 5\.2\.1 /);
      expect(await client.command("RCPT TO:<full@alias.example>")).toMatch(/^452 4\.2\.2 /);
      expect(await client.command("RCPT TO:<bob@elsewhere.example>")).toMatch(/^550 5\.7\.1 /);
    }
    expect(await client.command("RCPT TO:<inactive@alias.example>")).toMatch(/^421 4\.7\.0 /);
    expect(await client.reply()).toBe("closed");
  });

  test("recipients beyond the limit of a message are accepted for another message", async () => {
    const mx = await startMx({}, { recipients: 2 });
    const client = await enveloped(mx.server.port);
    expect(await client.command("RCPT TO:<two@alias.example>")).toMatch(/^250 /);
    expect(await client.command("RCPT TO:<three@alias.example>")).toMatch(/^452 4\.5\.3 /);
    expect(await client.data(MESSAGE)).toMatch(/^250 /);
    expect(mx.arrived[0]?.recipients).toHaveLength(2);
    await client.command("MAIL FROM:<bob@sender.example>");
    expect(await client.command("RCPT TO:<three@alias.example>")).toMatch(/^250 /);
  });

  test("recipients of an aborted transaction do not get the next message", async () => {
    const mx = await startMx();
    const client = await enveloped(mx.server.port, "first@alias.example");
    await client.command("RSET");
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<second@alias.example>");
    await client.data(MESSAGE);
    expect(mx.arrived[0]?.recipients).toMatchObject([{ alias: { email: "second@alias.example" } }]);
  });

  test.each([
    ['"shop"@alias.example', "shop@alias.example"],
    ['"s\\hop"@alias.example', "shop@alias.example"],
    ["Shop+Tag@ALIAS.example", "Shop+Tag@ALIAS.example"],
    ["x@xn--bcher-kva.example", "x@xn--bcher-kva.example"],
    ["postmaster", "postmaster"],
    [`${"l".repeat(70)}@alias.example`, `${"l".repeat(70)}@alias.example`],
  ])("%s is %s for the core", async (address, asked) => {
    const recorded: string[] = [];
    const mx = await startMx({
      admitRecipient: async (given) => {
        recorded.push(given);
        return err({ code: "recipient_not_found" });
      },
    });
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command(`RCPT TO:<${address}>`);
    expect(recorded).toEqual([asked]);
  });

  test.each(['"a b"@alias.example', "no-at-sign", "a@b@c", ""])("%j is malformed", async (address) => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<bob@sender.example>");
    expect(await client.command(`RCPT TO:<${address}>`)).toMatch(/^501 /);
    expect(mx.asked).toEqual([]);
  });
});

describe("senders", () => {
  test.each([
    "a..b@sender.example",
    "a@b_c.example",
    "a@sender.example.",
    "prvs=1234567890=bob@sender.example",
    `${"l".repeat(70)}@sender.example`,
    "bob@xn--bcher-kva.example",
  ])("%s is accepted, and handed over as sent", async (sender) => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    expect(await client.command(`MAIL FROM:<${sender}>`)).toMatch(/^250 /);
    await client.command("RCPT TO:<shop@alias.example>");
    expect(await client.data(MESSAGE)).toMatch(/^250 /);
    expect(mx.arrived).toMatchObject([{ returnPath: sender }]);
  });

  test("may have 320 octets", async () => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    const local = "a".repeat(320 - "@sender.example".length);
    expect(await client.command(`MAIL FROM:<${local}@sender.example>`)).toMatch(/^250 /);
    await client.command("RSET");
    expect(await client.command(`MAIL FROM:<a${local}@sender.example>`)).toBe(
      "553 5.1.7 The address of the sender is too long",
    );
  });

  test.each(["<bob@sender.example> SMTPUTF8", "<b\xc3\xb6b@sender.example>"])(
    "%j needs SMTPUTF8",
    async (sender) => {
      const mx = await startMx();
      const client = await greeted(mx.server.port);
      expect(await client.command(`MAIL FROM:${sender}`)).toBe("553 5.6.7 Addresses must be ASCII");
      await client.command("MAIL FROM:<bob@sender.example>");
      expect(await client.command("RCPT TO:<sh\xc3\xb6p@alias.example>")).toBe(
        "553 5.6.7 Addresses must be ASCII",
      );
    },
  );
});

describe("messages", () => {
  test.each([
    ["header_too_large", "554 5.6.0 "],
    ["too_many_hops", "554 5.4.6 "],
    ["mail_loop", "554 5.4.6 "],
    ["from_invalid", "554 5.6.0 "],
    ["field_repeated", "554 5.6.0 "],
    ["author_not_checked", "451 4.7.24 "],
    ["sender_not_authentic", "550 5.7.26 "],
    ["spool_full", "452 4.3.1 "],
    ["unavailable", "451 4.3.0 "],
  ] as const)("that the core refuses with %s: %s", async (code, reply) => {
    const mx = await startMx({ receiveMessage: async () => err({ code }) });
    const client = await enveloped(mx.server.port);
    expect((await client.data(MESSAGE)).startsWith(reply)).toBe(true);
    expect(mx.bodiesLeft()).toBe(0);
    expect(mx.events).toMatchObject([{ type: "reply", step: "DATA", message: null }]);
    expect(await client.command("NOOP")).toMatch(/^250 /);
  });

  test("are a temporary failure if the core throws", async () => {
    const mx = await startMx({ receiveMessage: async () => Promise.reject(new Error("thrown")) });
    const client = await enveloped(mx.server.port);
    expect(await client.data(MESSAGE)).toMatch(/^451 4\.3\.0 /);
    expect(mx.bodiesLeft()).toBe(0);
  });

  test("for which there is no room are refused once they have been sent", async () => {
    const mx = await startMx({}, {}, { spool: { receive: async () => err({ code: "spool_full" }) } });
    const client = await enveloped(mx.server.port);
    expect(await client.data(`${MESSAGE}\r\n${"x".repeat(300_000)}`)).toMatch(/^452 4\.3\.1 /);
    expect(await client.command("NOOP")).toMatch(/^250 /);
  });

  test("that are too large are refused at MAIL, or once they have been sent", async () => {
    const mx = await startMx({}, {}, { maxMessageSize: 10_000 });
    const client = await greeted(mx.server.port);
    expect(await client.command("MAIL FROM:<bob@sender.example> SIZE=10001")).toMatch(/^552 /);
    await client.command("MAIL FROM:<bob@sender.example> SIZE=1");
    await client.command("RCPT TO:<shop@alias.example>");
    const lines = `${"x".repeat(98)}\r\n`.repeat(50_000);
    expect(await client.data(`${MESSAGE}\r\n${lines}`)).toBe("552 5.3.4 The message is too large");
    expect(mx.bodiesLeft()).toBe(0);
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<shop@alias.example>");
    const fits = 10_000 - HEADER.length - 2;
    expect(await client.data(`${HEADER}\r\n${"x".repeat(fits - 2)}`)).toMatch(/^250 /);
    expect(mx.arrived).toHaveLength(1);
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<shop@alias.example>");
    expect(await client.data(`${HEADER}\r\n${"x".repeat(fits - 1)}`)).toMatch(/^552 /);
  });

  test("with a header of too many lines are refused", async () => {
    const mx = await startMx();
    const client = await enveloped(mx.server.port);
    const folded = `X: ${"\r\n ".repeat(80_000)}y\r\n${MESSAGE}`;
    expect(await client.data(folded)).toMatch(/^554 5\.6\.0 /);
    expect(mx.arrived).toEqual([]);
  });

  test("with a header of more than 256 KiB are refused", async () => {
    const mx = await startMx();
    const client = await enveloped(mx.server.port);
    const field = `X-Long: ${"x".repeat(900)}\r\n`;
    expect(await client.data(`${HEADER}${field.repeat(300)}\r\nbody`)).toMatch(/^554 5\.6\.0 /);
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<shop@alias.example>");
    expect(await client.data(`${HEADER}${field.repeat(280)}\r\nbody`)).toMatch(/^250 /);
    expect(mx.arrived).toMatchObject([{ header: `${HEADER}${field.repeat(280)}`, body: "body\r\n" }]);
  });

  test.each([
    ["without a body", HEADER.trimEnd(), HEADER, ""],
    ["without a header", "Hello\r\nworld", "", "Hello\r\nworld\r\n"],
    ["that are empty", "", "", ""],
    ["with an empty header", "\r\nHello", "", "Hello\r\n"],
    ["of one long line", `\r\n${"x".repeat(900_000)}`, "", `${"x".repeat(900_000)}\r\n`],
  ])("%s are taken as they are", async (_, message, header, body) => {
    const mx = await startMx();
    const client = await enveloped(mx.server.port);
    expect(await client.data(message)).toMatch(/^250 /);
    expect(mx.arrived).toMatchObject([{ header, body }]);
  });

  test.each(["\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\n.\r", "\r.\r\n", "\r\n.\r"])(
    "%j does not end a message, and is normalized",
    async (end) => {
      const mx = await startMx();
      const client = await enveloped(mx.server.port);
      const smuggled =
        "MAIL FROM:<admin@alias.example>\r\nRCPT TO:<shop@alias.example>\r\nDATA\r\nFrom: x\r\n\r\nsmuggled";
      expect(await client.data(`${HEADER}\r\nbefore${end}${smuggled}`)).toMatch(/^250 /);
      expect(mx.arrived).toHaveLength(1);
      const body = mx.arrived[0]?.body ?? "";
      expect(body).toMatch(/^before\r\n/);
      expect(body.endsWith("smuggled\r\n")).toBe(true);
      expect(body).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
    },
  );
});

describe("reports", () => {
  const REPORT = `From: MAILER-DAEMON@relay.example\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; relay.example\r\n\r\nAction: failed\r\n\r\n--b--`;

  test("are split into their parts, and nothing is forwarded", async () => {
    const mx = await startMx();
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<>");
    expect(await client.command(`RCPT TO:<b-${copyId}@alias.example>`)).toMatch(/^250 /);
    expect(await client.data(REPORT)).toBe("250 2.0.0 OK");
    expect(mx.reports).toMatchObject([{ returnPath: "", parts: [{ type: "message/delivery-status" }] }]);
    expect(mx.reports[0]?.parts[0]?.content).toContain("Action: failed");
    expect(mx.arrived).toEqual([]);
    expect(mx.bodiesLeft()).toBe(0);
    expect(mx.events).toMatchObject([
      { type: "report", result: "bounced" },
      { type: "reply", code: 250 },
    ]);
  });

  test("are recorded once for each copy and once for the operator, however often each is named", async () => {
    const about: (string | null)[] = [];
    let reports = 0;
    const mx = await startMx({
      recordReport: () => {
        reports += 1;
        return async (copy) => {
          about.push(copy);
          return ok("unknown_copy");
        };
      },
    });
    const client = await greeted(mx.server.port);
    await client.command("MAIL FROM:<>");
    for (let n = 0; n < 3; n += 1) {
      await client.command("RCPT TO:<postmaster>");
      await client.command(`RCPT TO:<b-${copyId}@alias.example>`);
    }
    expect(await client.data(REPORT)).toMatch(/^250 2\.0\.0 /);
    expect({ about, reports }).toEqual({ about: [copyId, null], reports: 1 });
    expect(mx.events.filter(({ type }) => type === "report")).toHaveLength(2);
    expect(mx.arrived.map(({ recipients }) => recipients.map(({ kind }) => kind))).toEqual([["postmaster"]]);
  });

  test("that cannot be read go to the operator too, with the address of the copy", async () => {
    const mx = await startMx({ recordReport: () => async () => ok(results.shift() ?? "dropped") });
    const results: ReportResult[] = ["unknown"];
    const client = await greeted(mx.server.port);
    for (let n = 0; n < 2; n += 1) {
      await client.command("MAIL FROM:<>");
      await client.command(`RCPT TO:<b-${copyId}@alias.example>`);
      expect(await client.data(REPORT)).toMatch(/^250 2\.0\.0 /);
    }
    expect(mx.arrived.map(({ recipients }) => recipients)).toEqual([
      [{ kind: "postmaster", address: `b-${copyId}@alias.example` }],
    ]);
    expect(mx.bodiesLeft()).toBe(0);
  });

  test("to the operator count if they say which copy they are about; otherwise the operator reads them", async () => {
    for (const [result, read] of [
      ["complaint", 0],
      ["duplicate", 0],
      ["handed_over", 0],
      ["unknown_copy", 1],
      ["other_feedback", 1],
    ] as const) {
      const copies: unknown[] = [];
      const mx = await startMx({
        recordReport: () => async (copy) => {
          copies.push(copy);
          return ok(result);
        },
      });
      const client = await enveloped(mx.server.port, "postmaster");
      expect(await client.data(REPORT)).toMatch(/^250 2\.0\.0 /);
      expect({ result, copies, read: mx.arrived.length }).toEqual({ result, copies: [null], read });
      await client.command("MAIL FROM:<bob@sender.example>");
      await client.command("RCPT TO:<postmaster>");
      await client.data(MESSAGE);
      expect([copies.length, mx.arrived.length]).toEqual([1, read + 1]);
    }
  });

  test("about copies of another server are accepted once they are kept for it", async () => {
    const to = valueOf(parseEmailAddress(`b-${copyId}@alias.example`));
    const elsewhere = valueOf(parseSpoolMark("spoolone"));
    const results: readonly (readonly [Result<ReportResult, Unavailable>, RegExp])[] = [
      [ok("handed_over"), /^250 2\.0\.0 OK$/],
      [ok("elsewhere"), /^451 4\.3\.0 Another mail server of this domain has to take this, try again later$/],
      [err({ code: "unavailable" }), /^451 4\.3\.0 /],
    ];
    for (const [result, reply] of results) {
      const recorded: unknown[] = [];
      const mx = await startMx({
        admitRecipient: async () => ok({ kind: "report", copy: copyId, elsewhere, address: to }),
        recordReport:
          () =>
          async (...args) => {
            recorded.push(args);
            return result;
          },
      });
      const client = await enveloped(mx.server.port, to);
      expect(await client.data(REPORT)).toMatch(reply);
      expect({ recorded, arrived: mx.arrived.length, left: mx.bodiesLeft() }).toEqual({
        recorded: [[copyId, elsewhere]],
        arrived: 0,
        left: 0,
      });
    }
  });

  const email = valueOf(parseEmailAddress("shop@alias.example"));
  const alias = { account: valueOf(parseAccountId("tenant-1")), id: valueOf(parseAliasId("alias-1")), email };
  test.each<[ReportResult, string, Awaited<ReturnType<MailPlane["admitAnswer"]>>, RegExp]>([
    [
      "auto_reply",
      "author",
      ok({ kind: "author", alias, author: email, contact: email }),
      /^250 2\.0\.0 queued as /,
    ],
    ["read_receipt", "", ok({ kind: "discard" }), /^250 2\.0\.0 OK/],
    ["no_report", "", err({ code: "not_a_report" }), /^550 5\.7\.1 Only reports of delivery /],
  ])(
    "are told from answers (%s), which go to whoever takes them (%s)",
    async (result, kept, admitted, reply) => {
      const asked: unknown[] = [];
      const mx = await startMx({
        recordReport: () => async () => ok(result),
        admitAnswer: async (copy, transaction) => {
          asked.push([copy, transaction?.id]);
          return admitted;
        },
      });
      const client = await enveloped(mx.server.port, `b-${copyId}@alias.example`);
      expect(await client.data(MESSAGE)).toMatch(reply);
      expect(asked).toEqual([[copyId, messageId]]);
      expect(mx.arrived.flatMap(({ recipients }) => recipients.map(({ kind }) => kind)).join()).toBe(kept);
      expect(mx.bodiesLeft()).toBe(0);
    },
  );

  test("that cannot be recorded are a temporary failure", async () => {
    const mx = await startMx({ recordReport: () => async () => err({ code: "unavailable" }) });
    const client = await enveloped(mx.server.port, `b-${copyId}@alias.example`);
    expect(await client.data(REPORT)).toMatch(/^451 4\.3\.0 /);
    expect(mx.bodiesLeft()).toBe(0);
  });

  test("a message that is accepted only to be discarded is discarded", async () => {
    const mx = await startMx();
    const client = await enveloped(mx.server.port, "discard@alias.example");
    expect(await client.data(MESSAGE)).toBe("250 2.0.0 OK");
    expect([mx.arrived, mx.bodiesLeft()]).toEqual([[], 0]);
  });
});

describe("unsupported commands", () => {
  test.each([
    "STARTTLS",
    "AUTH PLAIN AGEAYg==",
    "WIZ x",
    "KILL",
    "SHELL",
    "XCLIENT ADDR=192.0.2.1",
    "NONSENSE",
  ])("%s", async (command) => {
    const { server } = await startMx();
    const client = await greeted(server.port);
    expect(await client.command(command)).toMatch(/^500 /);
  });
});

test("with a certificate there is STARTTLS, and a new certificate is used for new connections", async () => {
  const pair = (name: string) => {
    const { key, cert } = newCertificate(newDirectory(), 2, name);
    return { key: key.toString(), cert: cert.toString() };
  };
  const mx = await startMx({}, {}, { tls: pair("first.example") });
  const encrypted = async () => {
    const plain = await greeted(mx.server.port);
    expect(await plain.command("STARTTLS")).toMatch(/^220 /);
    return plain.startTls();
  };
  const subjectOf = (client: Awaited<ReturnType<typeof encrypted>>): unknown =>
    "getPeerCertificate" in client.socket && typeof client.socket.getPeerCertificate === "function"
      ? client.socket.getPeerCertificate().subject.CN
      : null;

  const client = await encrypted();
  expect(subjectOf(client)).toBe("first.example");
  await client.command("EHLO client.example");
  await client.command("MAIL FROM:<bob@sender.example>");
  await client.command("RCPT TO:<shop@alias.example>");
  expect(await client.data(MESSAGE)).toMatch(/^250 /);
  expect(mx.arrived).toMatchObject([{ session: { protocol: "ESMTPS" } }]);

  const second = pair("second.example");
  mx.server.setTls(second);
  expect(subjectOf(await encrypted())).toBe("second.example");
  for (const wrong of [
    { key: "no", cert: "no" },
    { ...second, cert: "" },
    { ...second, key: "" },
  ]) {
    expect(() => mx.server.setTls(wrong)).toThrow(TypeError);
    expect(subjectOf(await encrypted())).toBe("second.example");
  }
  await expect(startMx({}, {}, { tls: { ...second, cert: "" } })).rejects.toThrow(
    "tls is not a certificate with its key: not_a_certificate",
  );
});
