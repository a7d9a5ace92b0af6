import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { startRelay } from "./support/relay.ts";
import { spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

/* Two deployments, each with an alias whose mailbox is the other's alias: mail to either of them loops. */

const [HERE, THERE] = ["shop@here.example.com", "shop@there.example.com"];

const TEXT = "From: bob@sender.test\r\nSubject: round and round\r\n\r\nHello";

/**
 * Two deployments with a relay between them, which takes mail to the server of each domain, and everything else to mailboxes.
 *
 * @param onTheWay what the relay turns each message into
 * @param notices whether senders are told about failures: all of them are verified
 */
const start = async (onTheWay: (message: string) => string, notices: "verified" | "never") => {
  const ports = new Map<string, number>();
  /** To whom messages were passed on, and with what reply. */
  const passed: { readonly to: string; readonly reply: string }[] = [];
  const relay = await startRelay(async ({ from, to, raw }) => {
    const port = ports.get(to.slice(to.indexOf("@") + 1));
    if (port === undefined) return;
    const text = onTheWay(raw).replace(/\r\n$/, "").replace(/^\./gm, "..");
    const { reply } = await submit(port, { from, to, text });
    passed.push({ to, reply });
    const responseCode = Number(reply.slice(0, 3));
    if (responseCode !== 250) throw Object.assign(new Error(reply.slice(4)), { responseCode });
  });
  const spf = { TXT: ["v=spf1 ip4:127.0.0.1 -all"] };
  const dns = await startFakeDns({ "sender.test": spf, "here.example.com": spf, "there.example.com": spf });
  onTestFinished(() => dns.close());
  const here = await newMailServer("here.example.com", { [HERE]: [THERE] });
  const there = await newMailServer("there.example.com", { [THERE]: [HERE] });
  const variables = {
    POSTERN_RELAY_URL: relay.url,
    POSTERN_DNS: `127.0.0.1:${dns.port}`,
    POSTERN_MAIL_DSN: notices,
  };
  const secret = "another secret of at least 32 bytes";
  ports.set("here.example.com", (await here.start(variables)).port);
  ports.set("there.example.com", (await there.start({ ...variables, POSTERN_LINK_SECRET: secret })).port);
  const port = ports.get("here.example.com") ?? 0;
  expect((await submit(port, { to: HERE, text: TEXT })).reply).toMatch(/^250 /);
  const copies = () => passed.filter(({ to }) => to === HERE || to === THERE);
  return {
    here,
    there,
    copies,
    told: () => relay.taken.filter(({ to }) => to === "bob@sender.test"),
    /** Resolves once a message has been refused, and nothing is left to be sent or counted. */
    ended: async () => {
      await expect.poll(() => copies().at(-1)?.reply).toMatch(/^5/);
      const idle = { queued: 0, uncounted: 0 };
      await expect.poll(() => [here, there].map(({ spool }) => spoolState(spool))).toEqual([idle, idle]);
    },
  };
};

test("a mail loop ends where the mail has been, and its sender is told", async () => {
  const { here, there, copies, told, ended } = await start((message) => message, "verified");
  await ended();
  // The other server told this one, and this one told the sender.
  await expect.poll(() => told().length).toBe(1);
  await ended();
  expect(told()).toHaveLength(1);
  expect(copies().map(({ to, reply }) => [to, reply.slice(0, 9)])).toEqual([
    [THERE, "250 2.0.0"],
    [HERE, "554 5.4.6"],
  ]);
  expect(await here.counts(HERE)).toEqual({ ...NOTHING, sent: 1, bounced: 1 });
  expect(await there.counts(THERE)).toEqual({ ...NOTHING, bounced: 1 });
});

test("a mail loop ends after 50 hops if the loop marks are removed on the way", async () => {
  const { here, there, copies, ended } = await start(
    (message) =>
      `Received: from a by relay.test; Sun, 22 Nov 2026 10:00:00 +0000\r\n${message.replace(/^X-Postern-Loop:.*\r\n/gm, "")}`,
    "never",
  );
  await ended();
  // Each time, it passes a server and the relay.
  expect(copies().map(({ reply }) => reply.slice(0, 9))).toEqual([
    ...Array.from({ length: 25 }, () => "250 2.0.0"),
    "554 5.4.6",
  ]);
  expect(await here.counts(HERE)).toEqual({ ...NOTHING, sent: 13 });
  expect(await there.counts(THERE)).toEqual({ ...NOTHING, sent: 12, bounced: 1 });
});

test("a mail loop ends if the mail is written anew on the way, with its message id but no other trace", async () => {
  const { copies, ended } = await start((message) => {
    const fields = message.match(/^(?:From|Subject|Message-ID):.*\r\n(?:[\t ].*\r\n)*/gm) ?? [];
    return `${fields.join("")}${message.slice(message.indexOf("\r\n\r\n") + 2)}`;
  }, "never");
  await ended();
  // Each conceals the id that the other one has concealed, until that shows.
  expect(copies().map(({ reply }) => reply.slice(0, 9))).toEqual([
    ...["250 2.0.0", "250 2.0.0", "250 2.0.0"],
    "554 5.4.6",
  ]);
});
