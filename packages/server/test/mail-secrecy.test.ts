import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import { decodings } from "./support/decodings.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { makeOlder, retryAll, spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

/* Nothing that a sender sees, and nothing in the log, may reveal where mail to an alias goes. */

/** Parts of every address that mail is forwarded to, and of nothing else. */
const SECRET = /private|hidden/i;
const mailboxes = (name: string) => [1, 2].map((n) => `${name}-${n}.private@hidden.example`);

const BOB = "bob@sender.test";
const DAY = 24 * 60 * 60 * 1_000;

const leaks = (text: string): readonly string[] => decodings(text).filter((decoded) => SECRET.test(decoded));

test("the search finds an address however it is encoded", () => {
  const [address = ""] = mailboxes("ada");
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  for (const text of [
    address,
    address.toUpperCase(),
    base64(address),
    base64(`x${address}`),
    base64(`xy${address}`).replace(/.{9}/g, "$&\r\n"),
    base64(base64(address)),
    address.replace(/[a-z]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`),
    address.replace("priv", "pri=\r\nv").replace("hidden", "hid=\r\nden"),
    `=?utf-8?B?${base64(address)}?=`,
    `=?utf-8?Q?${address.replace(/[a-z]/g, (letter) => `=${letter.charCodeAt(0).toString(16)}`)}?=`,
    address.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ]) {
    expect(leaks(`X: before ${text} after`)).not.toEqual([]);
  }
  expect(leaks("X: before shop@alias.example.com after")).toEqual([]);
});

/** A mail server's report about a mailbox, which it names in every possible way. */
const report = (mailbox: string): string =>
  [
    "From: MAILER-DAEMON@relay.test",
    `Subject: Undelivered mail to ${mailbox}`,
    `X-Failed-Recipients: ${mailbox}`,
    "MIME-Version: 1.0",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(`There is no ${mailbox}`).toString("base64"),
    "--b",
    "Content-Type: message/delivery-status",
    "",
    `Reporting-MTA: dns; ${mailbox}`,
    "",
    `Final-Recipient: rfc822; ${mailbox}`,
    "Action: failed",
    "Status: 5.1.1",
    `Diagnostic-Code: smtp; 550 5.1.1 <${mailbox}>: no such user`,
    "--b--",
  ].join("\r\n");

const complaint = (mailbox: string, message: string): string =>
  [
    "From: feedback@provider.test",
    "MIME-Version: 1.0",
    "Content-Type: multipart/report; report-type=feedback-report; boundary=b",
    "",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    `Original-Rcpt-To: ${mailbox}`,
    "--b",
    "Content-Type: message/rfc822",
    "",
    message,
    "--b--",
  ].join("\r\n");

test("neither replies, nor failure notices, nor the log reveal where mail to an alias goes", async () => {
  const relay = await startRelay(() => {}, {
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith("refused-")) return done(refusal(550, address));
      done(address.startsWith("slow-") ? refusal(450, address) : null);
    },
  });
  const dns = await startFakeDns({
    "sender.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "forged.test": { TXT: ["v=spf1 -all"] },
    "_dmarc.forged.test": { TXT: ["v=DMARC1; p=reject"] },
  });
  onTestFinished(() => dns.close());
  const names = ["refused", "late", "slow", "disliked", "off"] as const;
  const aliasOf = (name: (typeof names)[number]) => `to-${name}@alias.example.com`;
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(
    directory,
    Object.fromEntries(names.map((name) => [aliasOf(name), mailboxes(name)])),
    [aliasOf("off")],
  );
  const start = async () => {
    const server = await startServerProcess({
      ...variables,
      ...store.variables,
      POSTERN_RELAY_URL: relay.url,
      POSTERN_DNS: `127.0.0.1:${dns.port}`,
      POSTERN_LOG_LEVEL: "trace",
      POSTERN_ACCESS_LOG: "true",
    });
    onTestFinished(() => void server.kill());
    return server;
  };
  const seen: string[] = [];
  const send = async (port: number, to: string, { from = BOB, text = "", code = "250" } = {}) => {
    const message = text || `From: ${from}\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nHow are you?`;
    const { reply, said } = await submit(port, { from, to, text: message });
    expect({ to, reply }).toEqual({ to, reply: expect.stringMatching(`^${code}`) });
    seen.push(said);
  };
  const takenFor = (to: string) => relay.taken.filter((mail) => mail.to === to);
  const notices = () => takenFor(BOB).map(({ raw }) => raw);

  const first = await start();
  const port = first.mailPort();
  for (const name of ["refused", "late", "slow", "disliked"] as const) await send(port, aliasOf(name));
  await send(port, aliasOf("off"), { code: "550 5.2.1" });
  await send(port, "nobody@alias.example.com", { code: "550 5.1.1" });
  await send(port, "somebody@elsewhere.example", { code: "550 5.7.1" });
  await send(port, aliasOf("late"), { from: "boss@forged.test", code: "550 5.7.26" });

  // A mailbox that took its copy reports that it cannot deliver it; another one complains about it.
  for (const mailbox of [...mailboxes("late"), ...mailboxes("disliked")]) {
    await expect.poll(() => takenFor(mailbox).length).toBe(1);
    const [copy] = takenFor(mailbox);
    if (mailbox.startsWith("late")) {
      await send(port, copy?.from ?? "", { from: "", text: report(mailbox) });
    } else {
      const enclosed = `Return-Path: <${copy?.from}>\r\n${copy?.raw}`;
      await send(port, "abuse@alias.example.com", {
        from: "feedback@provider.test",
        text: complaint(mailbox, enclosed),
      });
    }
  }
  await expect.poll(notices).toHaveLength(2);
  await expect.poll(async () => (await store.counts(aliasOf("disliked"))).complaint).toBe(2);
  const output = await first.stop();

  // Deferred copies wait until their time is up.
  expect(spoolState(variables.POSTERN_SPOOL_PATH).queued).toBe(2);
  makeOlder(variables.POSTERN_SPOOL_PATH, 6 * DAY);
  await retryAll(variables.POSTERN_SPOOL_PATH);
  const second = await start();
  await expect.poll(notices).toHaveLength(3);
  await expect.poll(async () => (await store.counts(aliasOf("slow"))).bounced).toBe(2);
  const later = await second.stop();

  for (const name of ["refused", "late", "slow"] as const) {
    expect(notices().filter((notice) => notice.includes(aliasOf(name)))).toHaveLength(1);
  }
  for (const text of [...seen, ...notices(), output, later]) expect(leaks(text)).toEqual([]);
});
