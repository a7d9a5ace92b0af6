import { startFakeDns } from "@postern/test-support/fake-dns";
import { type Forwarder, startForwarder } from "@postern/test-support/forwarder";
import { type Postfix, startPostfix, swaks } from "@postern/test-support/postfix";
import { verifyElsewhere } from "@postern/test-support/signature-verifiers";
import { authenticate } from "mailauth";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { publicKeyIn } from "./support/dkim-key.ts";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { submit } from "./support/submit.ts";

/*
 * From the client through Postern and a Postfix that is configured as docs/mail.md says, to the mailboxes, with Postfix's
 * reports coming back. All tests share the Postfix, which takes seconds to start.
 */

const DOMAIN = "alias.example.com";
const ALIAS = `shop@${DOMAIN}`;
const [ADA, GRACE] = ["ada@home.example", "grace@home.example"];
/** Postfix tries again every 3 seconds, and everything takes longer on a busy machine. */
const PATIENCE = { timeout: 60_000 };

let mailboxes: Forwarder;
let reports: Forwarder;
let postfix: Postfix;

/** The documented lines for one of Postfix's files. */
const documented = (file: "master.cf" | "main.cf", port: number): string => {
  const lines = block("docs/mail.md", "The relay")
    .replace("10025", `${port}`)
    .split(/^# (?=\w+\.cf$)/m);
  return lines.find((part) => part.startsWith(`${file}\n`))?.slice(file.length) ?? expect.unreachable();
};

beforeAll(async () => {
  [mailboxes, reports] = [await startForwarder(), await startForwarder()];
  postfix = await startPostfix(
    { "home.example": mailboxes.port, [DOMAIN]: reports.port },
    {
      main: (port) => documented("main.cf", port),
      master: (port) => documented("master.cf", port),
    },
  );
}, 120_000);

afterAll(async () => {
  await postfix.stop();
  for (const forwarder of [mailboxes, reports]) forwarder.stop();
});

/** A server whose relay is Postfix, with an alias for two mailboxes, and the mail server of those mailboxes. */
const start = async (
  variables: Readonly<Record<string, string>> = {},
  reply: (to: string) => number = () => 250,
) => {
  const sink = await startRelay(() => {}, {
    onRcptTo: ({ address }, _session, done) => {
      const code = reply(address);
      done(code === 250 ? null : refusal(code, address));
    },
  });
  mailboxes.leadTo(sink.port);
  const mail = await newMailServer(DOMAIN, { [ALIAS]: [ADA, GRACE] });
  const dns = await startFakeDns({
    [`postern1._domainkey.${DOMAIN}`]: {
      TXT: [`v=DKIM1; k=rsa; p=${publicKeyIn(mail.key)}`],
    },
  });
  onTestFinished(() => dns.close());
  const { port } = await mail.start({
    POSTERN_RELAY_URL: `smtp://127.0.0.1:${postfix.port}`,
    POSTERN_DNS: `127.0.0.1:${dns.port}`,
    ...variables,
  });
  reports.leadTo(port);
  const text = `From: Bob <bob@sender.test>\r\nTo: ${ALIAS}\r\nSubject: Hello\r\n\r\nHow are you?\r\n.\r\n..`;
  return {
    port,
    sink,
    dns,
    counts: () => mail.counts(ALIAS),
    send: async () => {
      const sent = await submit(port, { to: ALIAS, text: text.replace(/^\./gm, "..") });
      expect(sent.reply).toMatch(/^250 2\.0\.0 queued/);
    },
  };
};

test("a message from swaks reaches one mailbox; that the other does not exist is counted once, however often it is reported", {
  timeout: 300_000,
}, async () => {
  const { port, sink, counts } = await start({}, (to) => (to === GRACE ? 550 : 250));
  const reportedBefore = reports.sent().length;
  const { code } = await swaks(port, ["--from", "bob@sender.test", "--to", ALIAS, "--body", "How are you?"]);
  expect(code).toBe(0);
  await expect.poll(() => sink.taken.map(({ to }) => to), PATIENCE).toEqual([ADA]);
  await expect.poll(counts, PATIENCE).toEqual({ ...NOTHING, sent: 2, bounced: 1 });

  const [, to = "", report = ""] =
    /RCPT TO:<(b-[^>]*)>.*?DATA\r\n(.*?)\r\n\.\r\n/s.exec(reports.sent().slice(reportedBefore)) ?? [];
  expect(report).toMatch(/^Action: failed\r$/m);
  for (let time = 1; time <= 10; time += 1) {
    expect((await submit(port, { from: "", to, text: report })).reply).toMatch(/^250 /);
  }
  // If these reports were counted, it would be before this message.
  const other = await swaks(port, ["--from", "bob@sender.test", "--to", ALIAS]);
  expect(other.code).toBe(0);
  await expect.poll(counts, PATIENCE).toEqual({ ...NOTHING, sent: 4, bounced: 2 });
});

test("three verifiers accept the signatures of a copy in the mailbox", { timeout: 300_000 }, async () => {
  const { sink, send, dns } = await start();
  await send();
  await expect.poll(() => sink.taken.map(({ to }) => to).toSorted(), PATIENCE).toEqual([ADA, GRACE]);
  const messages = sink.taken.map(({ raw }) => raw);
  const pass = { dkim: "pass", arc: "pass" };
  for (const verified of await verifyElsewhere(messages, dns.port)) {
    expect(verified).toEqual({ perl: pass, python: pass });
  }
  for (const raw of messages) {
    expect(raw.endsWith("\r\n\r\nHow are you?\r\n.\r\n..\r\n")).toBe(true);
    const { dkim, arc } = await authenticate(Buffer.from(raw, "latin1"), {
      resolver: (name, type) => dns.resolver.resolve(name, type) as Promise<string[][]>,
      ip: "192.0.2.1",
      helo: "relay.example",
      sender: "",
      disableBimi: true,
    });
    expect(dkim.results.map(({ status }) => status.result)).toEqual(["pass"]);
    expect(arc).toMatchObject({ status: { result: "pass" } });
  }
});

test("a copy that is greylisted arrives later, and is counted once", { timeout: 300_000 }, async () => {
  const tries = new Map<string, number>();
  const { sink, send, counts } = await start({}, (to) => {
    tries.set(to, (tries.get(to) ?? 0) + 1);
    return tries.get(to) === 1 ? 450 : 250;
  });
  await send();
  await expect.poll(() => sink.taken.map(({ to }) => to).toSorted(), PATIENCE).toEqual([ADA, GRACE]);
  await expect.poll(counts, PATIENCE).toEqual({ ...NOTHING, sent: 2 });
});

test("with delivery notices, Postfix alone is enough for all counters", {
  timeout: 300_000,
}, async () => {
  const { send, counts } = await start({ POSTERN_DELIVERY_NOTICES: "true" }, (to) =>
    to === GRACE ? 550 : 250,
  );
  await send();
  await expect.poll(counts, PATIENCE).toEqual({ ...NOTHING, sent: 2, delivered: 1, bounced: 1 });
});
