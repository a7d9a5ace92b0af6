import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { dkimSigner } from "@postern/adapter-smtp";
import { parseDomain } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { DOMAIN } from "./fixture.ts";
import { type MailAnswer, type MailEnds, MailJob } from "./mail-protocol.ts";
import { startSink } from "./mail-sink.ts";

/*
 * The process that sends mail, takes the copies, and answers questions about names. Its first message says where; after that, each
 * message is a job, which it answers with what it measured.
 *
 * Each client keeps its connection, and sends its next message as soon as the last one is accepted. Every reply must be the one
 * expected, and every copy must arrive.
 */

/** How long the last copies may take after a job. */
const DEADLINE_MS = 120_000;
/** The server accepts 20 connections from each address. */
const CLIENTS_AN_ADDRESS = 16;

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const published = {
  TXT: [`v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`],
};
const dkimKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const signer = dkimSigner({ key: dkimKey, selector: "s", arc: null });
const dns = await startFakeDns({
  "signed.test": { TXT: ["v=spf1 ip4:127.0.0.0/8 -all"] },
  "_dmarc.signed.test": { TXT: ["v=DMARC1; p=reject"] },
  "s._domainkey.signed.test": published,
  [`s._domainkey.${DOMAIN}`]: published,
});

const LINE = `${"The quick brown fox jumps over the lazy dog. ".repeat(2).slice(0, 76)}\r\n`;

/** A message as it is sent, with the final dot. */
const messageOf = async (size: number, signed: boolean): Promise<Buffer> => {
  const domain = signed ? "signed.test" : "unsigned.test";
  const header = [
    `From: Bob <bob@${domain}>`,
    "To: shop@alias.example.com",
    "Subject: Your order",
    "Date: Sun, 22 Nov 2026 10:00:00 +0000",
    `Message-ID: <1@${domain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=us-ascii",
    "",
  ].join("\r\n");
  const body = Buffer.from(LINE.repeat(Math.ceil((size - header.length) / LINE.length)));
  const mail = {
    domain: valueOf(parseDomain(domain)),
    header,
    body: {
      size: body.length,
      read: async function* () {
        yield body;
      },
    },
    authentication: null,
  };
  const sent = signed ? valueOf(await signer.sign(mail)).header : header;
  return Buffer.concat([Buffer.from(`${sent}\r\n`), body, Buffer.from(".\r\n")]);
};

let arrived = 0;
let onArrival = () => {};
const sink = await startSink(() => {
  arrived += 1;
  onArrival();
});

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** A connection on which replies are read one after the other. */
const open = async (port: number, n: number) => {
  const localAddress = `127.0.0.${2 + Math.floor(n / CLIENTS_AN_ADDRESS)}`;
  const socket = connect({ port, host: "127.0.0.1", localAddress }).setNoDelay();
  const lines: string[] = [];
  let rest = "";
  let wake = () => {};
  socket.on("data", (data: Buffer) => {
    const parts = (rest + data.toString("latin1")).split("\r\n");
    rest = parts.pop() ?? "";
    // Only the last line of a reply has no hyphen.
    lines.push(...parts.filter((line) => line[3] !== "-"));
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    lines.push("closed");
    wake();
  });
  await once(socket, "connect");
  const expectReply = async (code: string): Promise<void> => {
    while (lines.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const line = lines.shift() ?? "";
    if (!line.startsWith(code)) throw new Error(`expected ${code}, received ${line}`);
  };
  return { socket, expectReply };
};

const run = async ({
  port,
  recipients,
  copies,
  size,
  signed,
  seconds,
  count,
  rate,
  copy,
}: MailJob): Promise<MailAnswer> => {
  const message = await messageOf(size, signed);
  const clients = await Promise.all(recipients.map((_, n) => open(port, n)));
  for (const { socket, expectReply } of clients) {
    await expectReply("220");
    socket.write("EHLO client.signed.test\r\n");
    await expectReply("250");
  }
  arrived = 0;
  const first = copy ? sink.next() : null;
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  const sender = signed ? "bob@signed.test" : "bob@unsigned.test";
  const send = async (n: number): Promise<void> => {
    const { socket, expectReply } = clients[n] ?? (await open(port, n));
    let due = start + (n * 1000) / (rate ?? 1);
    for (let sent = 0; count === null ? performance.now() < end : sent < count; sent += 1) {
      if (rate !== null) {
        await setTimeout(Math.max(0, due - performance.now()));
        if (performance.now() >= end) return;
        due += (recipients.length * 1000) / rate;
      }
      socket.write(`MAIL FROM:<${sender}>\r\nRCPT TO:<${recipients[n]}>\r\nDATA\r\n`);
      await expectReply("250");
      await expectReply("250");
      await expectReply("354");
      const begun = performance.now();
      socket.write(message);
      await expectReply("250");
      times.push(performance.now() - begun);
    }
  };
  try {
    await Promise.all(recipients.map((_, n) => send(n)));
    const deadline = performance.now() + DEADLINE_MS;
    while (arrived < times.length * copies) {
      if (performance.now() > deadline)
        return { wrong: `${arrived} of ${times.length * copies} copies arrived` };
      await Promise.race([
        new Promise<void>((resolve) => {
          onArrival = resolve;
        }),
        setTimeout(1000),
      ]);
    }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const { socket } of clients) socket.removeAllListeners("close").destroy();
  }
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(times).sort();
  return {
    messages: times.length,
    seconds: elapsed,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    cpu: (user + system) / 1e6 / elapsed,
    copy: await first,
  };
};

process.on("disconnect", () => process.exit());
process.on("message", async (job) => process.send?.(await run(MailJob.parse(job))));
process.send?.({ relayPort: sink.port, dnsPort: dns.port, dkimKey } satisfies MailEnds);
