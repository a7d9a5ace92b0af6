import { once } from "node:events";
import { createServer } from "node:net";
import { err, type Unavailable } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { FakeZone } from "@postern/test-support/fake-dns";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { fromSns } from "@postern/test-support/ses-events";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { PUBLISHED, signatureOf } from "../../mail-in/test/support/signature.ts";
import { inboundHandler } from "../src/inbound/index.ts";
import {
  ACCOUNT,
  ALIAS,
  fieldsOf,
  OPERATOR,
  openWorld,
  useSes,
  useSmtp,
  type World,
} from "./support/use-inbound.ts";
import { credentials } from "./support/use-ses.ts";

const ZONE: FakeZone = {
  "sender.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
  "_dmarc.sender.example": { TXT: ["v=DMARC1; p=reject"] },
  "home.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
  "_dmarc.home.example": { TXT: ["v=DMARC1; p=reject"] },
  "s._domainkey.home.example": { TXT: [PUBLISHED] },
};

const MESSAGE = "From: Bob <bob@sender.example>\r\nTo: shop@alias.example\r\nSubject: Hello\r\n\r\nHello\r\n";

const RECIPIENTS = ["me@home.example", "you@home.example"];

const unavailable: Unavailable = { code: "unavailable" };

const start = async (changed: Parameters<typeof openWorld>[1] = {}, limit?: number) => {
  const world = await openWorld(ZONE, changed, limit);
  return { world, ...(await useSes(world)) };
};

const recipientsOf = async (world: World) => (await world.forwarded()).map(({ to }) => to).toSorted();

test("a message becomes the same copies as over SMTP", async () => {
  const [bySes, bySmtp] = [await openWorld(ZONE), await openWorld(ZONE)];
  const { receive, take, aws } = await useSes(bySes);
  const send = await useSmtp(bySmtp);
  const text = fc.string({
    unit: fc.constantFrom("a", "é", " ", ".", "\r\n", "\n", "\r", "\r\n.\r\n", "=", "\0"),
    maxLength: 60,
  });
  const line = fc.string({ unit: fc.constantFrom("x", "é", ":", ";", "@", "<", '"', " "), maxLength: 30 });
  const field = fc
    .tuple(fc.constantFrom("To", "Cc", "Reply-To", "Subject", "X-A", "List-Id", "Message-ID", "Date"), line)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const recipients = fc.uniqueArray(
    fc.constantFrom(
      ALIAS,
      "SHOP+news@alias.example",
      '"shop"@alias.example',
      "postmaster@alias.example",
      "nobody@alias.example",
    ),
    { minLength: 1 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 6 }), text, recipients, async (fields, body, to) => {
      const message = `From: Bob <bob@sender.example>\r\nMessage-ID: <a@sender.example>\r\n${fields.join("")}\r\n${body}\r\n`;
      await send(message, "bob@sender.example", to);
      await take(await receive(message, { source: "bob@sender.example", recipients: to }));
      const [own, others] = [await bySes.forwarded(), await bySmtp.forwarded()].map((sent) =>
        sent
          .map(({ to, from, header, body }) => ({
            to,
            from: from?.split("@")[1],
            body,
            fields: fieldsOf(header),
          }))
          .toSorted((one, other) => one.to.localeCompare(other.to)),
      );
      expect(own).toEqual(others);
      expect(await aws.keys()).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("only the server that took it from the client is not named, and the results are SES's", async () => {
  const { world, receive, take } = await start();
  await take(await receive(MESSAGE, { spf: "GRAY" }));
  const [{ header = "" } = {}] = await world.forwarded();
  expect(header).toMatch(/^Received: by mx\.alias\.example\s+id [a-z2-7]{26};/);
  expect(header).toContain("Authentication-Results: mx.alias.example; spf=none; dkim=pass; dmarc=pass\r\n");
});

test("names are looked up for replies only: no name server can hold up other mail", async () => {
  const world = await openWorld(ZONE);
  const lookup = vi.fn(world.lookup);
  const { receive, take } = await useSes(world, {}, { lookup });
  const signed = `${await signatureOf(MESSAGE, "sender.example", "from")}${MESSAGE}`;
  const recipients = [ALIAS, "postmaster@alias.example"];
  expect(await take(await receive(signed, { recipients }))).toMatchObject([{ code: "accepted" }]);
  expect(lookup).not.toHaveBeenCalled();
});

describe("a message that comes again", () => {
  /** Where the first time ends, as if the process ended there. */
  const ends = {
    "after it was stored": (world: World) => ({
      receiveMessage: async (mail: Parameters<World["plane"]["receiveMessage"]>[0]) => {
        valueOf(await world.plane.receiveMessage(mail));
        return err(unavailable);
      },
    }),
    "before it was stored": () => ({ receiveMessage: async () => err(unavailable) }),
    "before anything": () => ({ hasArrived: async () => err(unavailable) }),
    "by throwing": () => ({ receiveMessage: async () => Promise.reject(new Error("a defect")) }),
  } as const;

  test.each(Object.entries(ends))("%s is forwarded once", async (_, end) => {
    const world = await openWorld(ZONE);
    const { receive, take, aws } = await useSes(world);
    const failing = await useSes(world, end(world), { bucket: aws.bucket });
    const body = await receive(MESSAGE);
    expect(await failing.take(body)).toMatchObject([{ code: "unavailable" }]);
    expect(await aws.keys()).toEqual(["message-1"]);
    const sent = await recipientsOf(world);
    await take(body);
    expect([...sent, ...(await recipientsOf(world))]).toEqual(RECIPIENTS);
    expect(await aws.keys()).toEqual([]);
    // It is put back into the queue, days later.
    expect(await take(body)).toMatchObject([{ code: "duplicate" }]);
    expect(await recipientsOf(world)).toEqual([]);
  });

  test("in the same batch, in the envelope of SNS or without, is forwarded once", async () => {
    const { world, receive, take, aws } = await start();
    const body = await receive(MESSAGE);
    for (let times = 0; times < 2; times += 1) aws.publish(JSON.parse(body));
    const codes = (await take(...aws.waiting(), body)).map(({ code }) => code);
    expect(codes).toHaveLength(3);
    expect(codes).toContain("accepted");
    expect(codes.filter((code) => !["accepted", "gone", "duplicate"].includes(code))).toEqual([]);
    expect(await recipientsOf(world)).toEqual(RECIPIENTS);
    expect(await aws.keys()).toEqual([]);
  });

  test("although its object could not be deleted is known, and the object is deleted then", async () => {
    const world = await openWorld(ZONE);
    const { receive, aws, take } = await useSes(world);
    const body = await receive(MESSAGE);
    // Stops S3 once the message has been read.
    const stopping = await useSes(
      world,
      {
        receiveMessage: async (mail) => {
          const received = await world.plane.receiveMessage(mail);
          await aws.stop();
          return received;
        },
      },
      { bucket: aws.bucket },
    );
    expect(await stopping.take(body)).toMatchObject([{ code: "unavailable", cause: { source: "s3" } }]);
    expect(await take(body)).toMatchObject([{ code: "unavailable", cause: { source: "s3" } }]);
    expect(await recipientsOf(world)).toEqual(RECIPIENTS);
    const again = await useSes(world);
    const later = await again.receive(MESSAGE);
    expect(await again.take(later)).toMatchObject([{ code: "duplicate" }]);
    expect(await again.aws.keys()).toEqual([]);
    expect(await recipientsOf(world)).toEqual([]);
  });

  test("is counted as blocked once", async () => {
    const { world, receive, take } = await start();
    const forged = await receive(MESSAGE, { dmarc: "FAIL", dmarcPolicy: "reject" });
    valueOf(await world.service.updateAlias({ account: ACCOUNT, aliasId: world.aliasId, active: false }));
    const inactive = await receive(MESSAGE);
    for (let times = 0; times < 2; times += 1) await take(inactive);
    valueOf(await world.service.updateAlias({ account: ACCOUNT, aliasId: world.aliasId, active: true }));
    for (let times = 0; times < 2; times += 1) await take(forged);
    expect(await world.tallies()).toEqual({ blocked: 2 });
  });
});

describe("what is refused for good is discarded", () => {
  const discarded = (reason: string) => [{ code: "discarded", reason }];

  test.each<[string, Parameters<Awaited<ReturnType<typeof useSes>>["receive"]>[1], string, string]>([
    ["for no alias", { recipients: ["nobody@alias.example"] }, MESSAGE, "recipient_not_found"],
    ["for another domain", { recipients: ["shop@elsewhere.example"] }, MESSAGE, "not_an_alias_domain"],
    ["with a virus", { virus: "FAIL" }, MESSAGE, "virus"],
    ["that fails DMARC", { dmarc: "FAIL", dmarcPolicy: "reject" }, MESSAGE, "sender_not_authentic"],
    ["without an author", {}, "Subject: Hello\r\n\r\nHello\r\n", "from_invalid"],
    ["with a large header", {}, `X: ${"x".repeat(300_000)}\r\n${MESSAGE}`, "header_too_large"],
    ["from an address that is not ASCII", { source: "bøb@sender.example" }, MESSAGE, "no_smtputf8"],
    ["of 41 MB", {}, `${MESSAGE}${`${"x".repeat(998)}\r\n`.repeat(43_000)}`, "message_too_large"],
  ])("a message %s", async (_, about, message, reason) => {
    const { world, receive, take, aws, events } = await start();
    expect(await take(await receive(message, about))).toMatchObject(discarded(reason));
    expect(await aws.keys()).toEqual([]);
    expect(await recipientsOf(world)).toEqual([]);
    expect(valueOf(await world.spool.size())).toMatchObject({ queued: 0, bytes: 0 });
    expect(JSON.stringify(events)).not.toContain("@");
  });

  test("and the other recipients get the message", async () => {
    const { world, receive, take } = await start();
    const recipients = ["nobody@alias.example", ALIAS, "nobody@elsewhere.example", "bøb@alias.example"];
    expect(await take(await receive(MESSAGE, { recipients }))).toMatchObject([
      { code: "accepted", refused: ["recipient_not_found", "not_an_alias_domain", "no_smtputf8"] },
    ]);
    expect(await recipientsOf(world)).toEqual(RECIPIENTS);
  });

  test("but not what SES takes for spam, nor what fails DMARC without asking for that", async () => {
    const { world, receive, take } = await start();
    await take(
      await receive(MESSAGE, { spam: "FAIL" }),
      await receive(MESSAGE, { dmarc: "FAIL", dmarcPolicy: "quarantine" }),
      await receive(MESSAGE, { dmarc: "PROCESSING_FAILED" }),
    );
    const sent = await world.forwarded();
    expect(sent).toHaveLength(6);
    expect(sent.filter(({ header }) => /^From: .*unverified/m.test(header))).toHaveLength(2);
  });
});

describe("what cannot be accepted now stays in the queue", () => {
  test("while S3 is down", async () => {
    const { world, receive, take, aws } = await start();
    const body = await receive(MESSAGE);
    await aws.stop();
    expect(await take(body)).toMatchObject([{ code: "unavailable", cause: { source: "s3" } }]);
    expect(await recipientsOf(world)).toEqual([]);
  });

  test.each([
    ["does not answer", "", false],
    [
      "stops in the middle of a message",
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nFrom: a@b.example\r\n\r\n",
      false,
    ],
    [
      "breaks off a message",
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nFrom: a@b.example\r\n\r\n",
      true,
    ],
  ])("while S3 %s", async (_, answer, isBroken) => {
    const deadlinePasses = holdDeadlines();
    const world = await openWorld(ZONE);
    const begun = vi.fn();
    const receiveBody: World["spool"]["receive"] = (chunks) => {
      begun();
      return world.spool.receive(chunks);
    };
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        if (isBroken) socket.end(answer);
        else socket.write(answer);
        if (answer === "") begun();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const bucket = {
      bucket: "mail",
      region: "eu-central-1",
      credentials,
      endpoint: `http://127.0.0.1:${port}`,
    };
    const { receive, take } = await useSes(world, {}, { bucket, spool: { receive: receiveBody } });
    const taken = take(await receive(MESSAGE));
    await expect.poll(() => begun).toHaveBeenCalled();
    if (!isBroken) deadlinePasses();
    expect(await taken).toMatchObject([{ code: "unavailable" }]);
    expect(valueOf(await world.spool.size())).toMatchObject({ queued: 0, bytes: 0 });
  });

  test("if the store fails in the middle of a batch, of which the rest is taken in", async () => {
    const world = await openWorld(ZONE);
    let calls = 0;
    const { receive, aws } = await useSes(world);
    const plane: World["plane"] = {
      ...world.plane,
      admitRecipient: async (...input) => {
        calls += 1;
        return calls === 2 || calls === 4 ? err(unavailable) : world.plane.admitRecipient(...input);
      },
    };
    const handle = inboundHandler({ ...world, plane, spool: plane.spool, bucket: aws.bucket });
    const Records = [];
    for (let n = 0; n < 5; n += 1) Records.push({ messageId: `${n}`, body: await receive(MESSAGE) });
    const { batchItemFailures: failed } = await handle({ Records });
    expect(failed).toHaveLength(2);
    expect(await aws.keys()).toHaveLength(2);
    expect(await world.forwarded()).toHaveLength(6);
    expect(await handle({ Records })).toEqual({ batchItemFailures: [] });
    expect(await world.forwarded()).toHaveLength(4);
    expect(await aws.keys()).toEqual([]);
  });

  test("until the spool has room", async () => {
    const { world, receive, take, aws } = await start({}, 100_000);
    const large = await receive(`${MESSAGE}${`${"x".repeat(998)}\r\n`.repeat(110)}`);
    expect(await take(large)).toMatchObject([{ code: "spool_full" }]);
    expect(await take(await receive(MESSAGE))).toMatchObject([{ code: "accepted" }]);
    expect(await aws.keys()).toEqual(["message-1"]);
    expect(await recipientsOf(world)).toEqual(RECIPIENTS);
  });
});

test("a message that SES has encrypted stays where it is", async () => {
  const { receive, take, aws } = await start();
  const body = await receive(MESSAGE);
  const headers = { "x-amz-meta-x-amz-key-v2": "AAAA" };
  await fetch(`${aws.bucket.endpoint}/mail/message-1`, { method: "PUT", body: "sealed", headers });
  expect(await take(body)).toMatchObject([
    { code: "unavailable", cause: { source: "s3", reason: "an object that SES has encrypted" } },
  ]);
  expect(await aws.keys()).toEqual(["message-1"]);
});

test("a message whose object is gone is done", async () => {
  const { world, receive, take } = await start();
  const body = (await receive(MESSAGE)).replaceAll("message-1", "message-2");
  expect(await take(body)).toMatchObject([{ code: "gone" }]);
  expect(await recipientsOf(world)).toEqual([]);
});

describe("notifications", () => {
  test("of another bucket are refused, and nothing of it is read or deleted", async () => {
    const { world, receive, take, aws } = await start();
    const body = await receive(MESSAGE, { bucket: "other" });
    expect(await take(body)).toMatchObject([
      { code: "unreadable", reason: "its bucket is not the one that is configured" },
    ]);
    expect(await aws.keys("other")).toEqual(["message-1"]);
    expect(await recipientsOf(world)).toEqual([]);
  });

  test("that cannot be read say why, and nothing of what they contain", async () => {
    const { world, receive, take } = await start();
    const body = await receive(MESSAGE, { source: "private@sender.example" });
    const damaged = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .tuple(fc.nat(body.length), fc.nat(60))
        .map(([at, length]) => `${body.slice(0, at)}${body.slice(at + length + 1)}`),
    );
    const LEGIBLE =
      /^(?:it is not JSON|it is not an event of SES|it is not about mail that SES received|its bucket is not the one that is configured|[A-Za-z.]+ is missing, or not of the type that SES documents)$/;
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const [taken] = await take(text);
        if (taken?.code === "unreadable") expect(Reflect.get(taken, "reason")).toMatch(LEGIBLE);
        else expect(["accepted", "discarded", "duplicate", "gone"]).toContain(taken?.code);
        await world.forwarded();
      }),
    );
  });

  test("that SES sends when it is set up say nothing", async () => {
    const { take } = await start();
    const announcement = "Successfully validated SNS topic for Amazon SES event publishing.";
    expect(await take(announcement, JSON.stringify(fromSns(announcement)))).toMatchObject([
      { code: "nothing" },
      { code: "nothing" },
    ]);
  });
});

describe("a reply", () => {
  const REPLY =
    "From: Me <me@home.example>\r\nTo: x\r\nSubject: Re: Hello\r\nContent-Type: text/plain\r\n\r\nYes\r\n";
  const FIELDS = "from:to:subject:content-type";
  const contactOf = async ({ service, aliasId }: World) =>
    valueOf(await service.createContact({ account: ACCOUNT, aliasId, email: "bob@sender.example" }))
      .reverseAddress;

  test("goes to the contact if its author's domain has signed it", async () => {
    const { world, receive, take } = await start();
    const recipients = [await contactOf(world)];
    const signed = `${await signatureOf(REPLY, "home.example", FIELDS)}${REPLY}`;
    // As SES writes them.
    const stored = `Return-Path: <me@home.example>\r\nReceived: from a by inbound-smtp\r\nX-SES-Spam-Verdict: PASS\r\n${signed}`;
    const about = { source: "me@home.example", recipients, spf: "GRAY" };
    expect(await take(await receive(stored, about))).toMatchObject([{ code: "accepted" }]);
    expect(await recipientsOf(world)).toEqual(["bob@sender.example"]);
  });

  test("that anybody could have written, whatever SES says, is discarded", async () => {
    const { world, receive, take } = await start();
    const about = { source: "me@home.example", recipients: [await contactOf(world)] };
    const signed = `${await signatureOf(REPLY, "home.example", FIELDS)}${REPLY}`;
    const other = `${await signatureOf(REPLY, "sender.example", FIELDS)}${REPLY}`;
    for (const [message, more] of [
      [REPLY, {}],
      [other, {}],
      [signed.replace("Yes", "No!"), {}],
      [`${await signatureOf(REPLY, "home.example", "from")}${REPLY}`, {}],
      [`${await signatureOf(REPLY, "home.example", FIELDS, 0)}${REPLY}`, {}],
      [signed, { dmarc: "PROCESSING_FAILED" }],
      [signed, { dmarc: "FAIL" }],
    ] as const) {
      expect(await take(await receive(message, { ...about, ...more }))).toMatchObject([
        { code: "discarded", reason: "author_not_verified" },
      ]);
    }
    expect(await recipientsOf(world)).toEqual([]);
  });

  test("stays in the queue while the key that signed it cannot be looked up", async () => {
    const world = await openWorld({ ...ZONE, "s._domainkey.home.example": "SERVFAIL" });
    const { receive, take } = await useSes(world);
    const about = { source: "me@home.example", recipients: [await contactOf(world)] };
    const signed = `${await signatureOf(REPLY, "home.example", FIELDS)}${REPLY}`;
    expect(await take(await receive(signed, about))).toMatchObject([{ code: "author_not_checked" }]);
  });
});

describe("mail to addresses of our own", () => {
  test("a bounce of a copy is counted for its alias", async () => {
    const { world, receive, take, events } = await start();
    await take(await receive(MESSAGE));
    const [{ from = null } = {}] = await world.forwarded();
    const report = [
      "From: MAILER-DAEMON@home.example\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n",
      "--b\r\nContent-Type: text/plain\r\n\r\nSorry\r\n",
      "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; home.example\r\n\r\n",
      "Final-Recipient: rfc822; me@home.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n",
    ].join("");
    for (const source of ["", "<>"]) {
      const body = await receive(report, { source, recipients: [from ?? ""], spf: "GRAY", dmarc: "GRAY" });
      expect(await take(body)).toMatchObject([{ code: "accepted", message: null }]);
    }
    await world.forwarded();
    expect(await world.tallies()).toMatchObject({ bounced: 1, sent: 2 });
    expect(events.at(-1)?.result.isOk()).toBe(true);
  });

  test("the operator's goes to the operator, and the sender of verification mail takes only reports", async () => {
    const { world, receive, take } = await start();
    expect(
      await take(
        await receive(MESSAGE, { recipients: ["Postmaster@alias.example"] }),
        await receive(MESSAGE, { recipients: ["hello@alias.example"] }),
      ),
    ).toMatchObject([{ code: "accepted" }, { code: "discarded", reason: "not_a_report" }]);
    expect(await recipientsOf(world)).toEqual([OPERATOR]);
  });
});
