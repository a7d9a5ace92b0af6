import { startFakeDns } from "@postern/test-support/fake-dns";
import { startForwarder } from "@postern/test-support/forwarder";
import { startPostfix, swaks } from "@postern/test-support/postfix";
import { verifyElsewhere } from "@postern/test-support/signature-verifiers";
import { authenticate } from "mailauth";
import { afterAll, expect, onTestFailed, test } from "vitest";
import { block } from "../../../scripts/document-blocks.ts";
import { atEnd } from "./support/at-end.ts";
import { publicKeyIn } from "./support/dkim-key.ts";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { submit } from "./support/submit.ts";

/*
 * From the client through Postern and a Postfix that is configured as docs/mail.md says, to the mailboxes, with Postfix's
 * reports coming back. All tests share the Postfix, which takes seconds to start, and each has an alias of its own.
 */

const DOMAIN = "alias.example.com";
const [SHOP, SIGNED] = [`shop@${DOMAIN}`, `signed@${DOMAIN}`];
const [DELAYED, NOTICED] = [`delayed@${DOMAIN}`, `noticed@${DOMAIN}`];
const [ADA, GONE] = ["ada@home.example", "gone@home.example"];
const [BEA, GRACE] = ["bea@home.example", "grace@home.example"];
const [EVE, GREY] = ["eve@home.example", "grey@home.example"];
const [IDA, LOST] = ["ida@home.example", "lost@home.example"];
const ALIASES = {
  [SHOP]: [ADA, GONE],
  [SIGNED]: [BEA, GRACE],
  [DELAYED]: [EVE, GREY],
  [NOTICED]: [IDA, LOST],
};

/** The documented commands, for the configuration in a folder, except that which restarts Postfix. */
const documented = (directory: string, port: number): string =>
  block("docs/mail.md", "The relay")
    .replaceAll("10025", `${port}`)
    .replaceAll(/^postconf /gm, `postconf -c ${directory} `)
    .replace(/^systemctl .*$/m, "");

const [mailboxes, reports] = [await startForwarder(), await startForwarder()];
for (const forwarder of [mailboxes, reports]) afterAll(forwarder.stop);
const postfix = await startPostfix({ "home.example": mailboxes.port, [DOMAIN]: reports.port }, documented);
afterAll(postfix.stop);

const tries = new Map<string, number>();
/** The mail server of the mailboxes. It does not know Gone and Lost, and greylists Grey. */
const sink = await startRelay(() => {}, {
  onRcptTo: ({ address }, _session, done) => {
    tries.set(address, (tries.get(address) ?? 0) + 1);
    if (address === GONE || address === LOST) return done(refusal(550, address));
    done(address === GREY && tries.get(address) === 1 ? refusal(450, address) : null);
  },
});
mailboxes.leadTo(sink.port);

/** A server whose relay is Postfix. */
const start = async (variables: Readonly<Record<string, string>> = {}) => {
  const mail = await newMailServer(DOMAIN, ALIASES);
  const dns = await startFakeDns({
    [`postern1._domainkey.${DOMAIN}`]: {
      TXT: [`v=DKIM1; k=rsa; p=${publicKeyIn(mail.key)}`],
    },
  });
  atEnd(() => dns.close());
  const { port } = await mail.start({
    POSTERN_RELAY_URL: `smtp://127.0.0.1:${postfix.port}`,
    POSTERN_DNS: `127.0.0.1:${dns.port}`,
    ...variables,
  });
  reports.leadTo(port);
  return { port, dns, counts: mail.counts };
};

const send = async (port: number, to: string) => {
  const text = `From: Bob <bob@sender.test>\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nHow are you?\r\n.\r\n..`;
  const sent = await submit(port, { to, text: text.replace(/^\./gm, "..") });
  expect(sent.reply).toMatch(/^250 2\.0\.0 queued/);
};

const takenFor = (...recipients: readonly string[]) => sink.taken.filter(({ to }) => recipients.includes(to));

const { port, dns, counts } = await start();

test("a message from swaks reaches one mailbox; that the other does not exist is counted once, however often it is reported", async () => {
  const reportedBefore = reports.sent().length;
  const { code } = await swaks(port, ["--from", "bob@sender.test", "--to", SHOP, "--body", "How are you?"]);
  expect(code).toBe(0);
  await expect.poll(() => takenFor(ADA)).toHaveLength(1);
  await expect.poll(() => counts(SHOP)).toEqual({ ...NOTHING, sent: 2, bounced: 1 });

  const [, to = "", report = ""] =
    /RCPT TO:<(b-[^>]*)>.*?DATA\r\n(.*?)\r\n\.\r\n/s.exec(reports.sent().slice(reportedBefore)) ?? [];
  expect(report).toMatch(/^Action: failed\r$/m);
  for (let time = 1; time <= 10; time += 1) {
    expect((await submit(port, { from: "", to, text: report })).reply).toMatch(/^250 /);
  }
  // If these reports were counted, it would be before this message.
  const other = await swaks(port, ["--from", "bob@sender.test", "--to", SHOP]);
  expect(other.code).toBe(0);
  await expect.poll(() => counts(SHOP)).toEqual({ ...NOTHING, sent: 4, bounced: 2 });
});

test("three verifiers accept the signatures of a copy in the mailbox", async () => {
  await send(port, SIGNED);
  const taken = () => takenFor(BEA, GRACE);
  await expect
    .poll(() =>
      taken()
        .map(({ to }) => to)
        .toSorted(),
    )
    .toEqual([BEA, GRACE]);
  const messages = taken().map(({ raw }) => raw);
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

test("a copy that is greylisted arrives later, and is counted once", async () => {
  // Why Postfix has not tried again.
  onTestFailed(async () => console.error(await postfix.log()));
  await send(port, DELAYED);
  const taken = () => takenFor(EVE, GREY);
  await expect
    .poll(() =>
      taken()
        .map(({ to }) => to)
        .toSorted(),
    )
    .toEqual([EVE, GREY]);
  expect(tries.get(GREY)).toBe(2);
  await expect.poll(() => counts(DELAYED)).toEqual({ ...NOTHING, sent: 2 });
});

test("with delivery notices, Postfix alone is enough for all counters", async () => {
  const { port, counts } = await start({ POSTERN_DELIVERY_NOTICES: "true" });
  await send(port, NOTICED);
  await expect.poll(() => counts(NOTICED)).toEqual({ ...NOTHING, sent: 2, delivered: 1, bounced: 1 });
});
