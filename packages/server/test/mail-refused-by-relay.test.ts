import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { refusal, startRelay } from "./support/relay.ts";
import { copyStates, makeOlder, retryAll, spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

/*
 * A relay that refuses the server itself rather than its mail: nothing bounces until that is fixed. If it refuses the password,
 * that can take any length of time; if it refuses all senders, which it could also do one by one, five days.
 */

const ALIAS = "shop@alias.example.com";
const MAILBOXES = ["ada@home.example", "grace@work.example"];
/** Enough to make more copies than the number of refusals in a row that are believed. */
const MESSAGES = 15;
const DAY = 24 * 60 * 60 * 1_000;

test.each(["535 to its password", "550 to every sender"] as const)(
  "nothing bounces while a relay answers %s",
  async (answer) => {
    let refused = 0;
    let isMended = false;
    const relay = await startRelay(() => {}, {
      authOptional: answer !== "535 to its password",
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) => {
        if (password === "right" || answer !== "535 to its password") return done(null, { user: "postern" });
        refused += 1;
        done(Object.assign(new Error("wrong password"), { responseCode: 535 }));
      },
      onMailFrom: ({ address }, _session, done) => {
        if (answer === "535 to its password" || isMended) return done();
        refused += 1;
        done(refusal(550, address));
      },
    });
    // The sender is verified, so it would be told about a failure.
    const dns = await startFakeDns({ "sender.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] } });
    onTestFinished(() => dns.close());
    const mail = await newMailServer("alias.example.com", { [ALIAS]: MAILBOXES });
    const start = (password: string) =>
      mail.start({
        POSTERN_RELAY_URL: `smtp://postern:${password}@127.0.0.1:${relay.port}`,
        POSTERN_DNS: `127.0.0.1:${dns.port}`,
      });
    const copies = MESSAGES * MAILBOXES.length;

    let server = await start("wrong");
    for (let number = 1; number <= MESSAGES; number += 1) {
      const text = `From: bob@sender.test\r\nSubject: ${number}\r\n\r\nHello`;
      expect((await submit(server.port, { to: ALIAS, text })).reply).toMatch(/^250 /);
    }
    await expect.poll(() => refused).toBeGreaterThan(0);
    await server.stop();
    expect(spoolState(mail.spool)).toEqual({ queued: copies, uncounted: 0 });

    makeOlder(mail.spool, (answer === "535 to its password" ? 6 : 4) * DAY);
    await retryAll(mail.spool);
    const before = refused;
    server = await start("wrong");
    await expect.poll(() => refused).toBeGreaterThan(before);
    await server.stop();
    expect(spoolState(mail.spool)).toEqual({ queued: copies, uncounted: 0 });
    expect(await mail.counts(ALIAS)).toEqual(NOTHING);
    expect(relay.taken).toEqual([]);

    isMended = true;
    await retryAll(mail.spool);
    await start("right");
    await expect.poll(() => relay.taken.length).toBe(copies);
    await expect.poll(() => mail.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies });
    expect(new Set(relay.taken.map(({ from }) => from)).size).toBe(copies);
    expect(new Set(relay.taken.map(({ to }) => to))).toEqual(new Set(MAILBOXES));
    expect(new Set(copyStates(mail.spool).values())).toEqual(new Set(["sent"]));
  },
);
