import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startFakeDns } from "@postern/test-support/fake-dns";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailServer } from "./support/mail-server.ts";
import { startRelay } from "./support/relay.ts";
import { retryAll, spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

const ALIAS = "shop@alias.example.com";
const SENDER = "bob@sender.test";

const start = async (relay: { readonly url: string }) => {
  const dns = await startFakeDns({ "sender.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] } });
  onTestFinished(() => dns.close());
  const server = await newMailServer("alias.example.com", { [ALIAS]: ["ada@home.example"] });
  const variables = { POSTERN_RELAY_URL: relay.url, POSTERN_DNS: `127.0.0.1:${dns.port}` };
  const { port } = await server.start(variables);
  const send = async (body: string) =>
    (await submit(port, { from: SENDER, to: ALIAS, text: `From: ${SENDER}\r\n\r\n${body}` })).reply;
  return { ...server, send };
};

test("a spool in which nothing can be recorded accepts no more mail, until it can", async () => {
  const relay = await startRelay();
  const { spool, send, counts } = await start(relay);
  const run = (sql: string) => {
    using db = new DatabaseSync(join(spool, "spool.db"), { timeout: 10_000 });
    db.exec(sql);
  };
  run("CREATE TRIGGER damaged BEFORE UPDATE ON copies BEGIN SELECT RAISE(ABORT, ''); END");
  expect(await send("one")).toMatch(/^250 /);
  await expect.poll(() => relay.taken.length).toBe(1);
  await expect.poll(() => send("two")).toBe("451 4.3.0 Temporary failure, try again later");
  const accepted = relay.taken.length;
  for (let n = 0; n < 5; n += 1) expect(await send("more")).toMatch(/^451 /);
  run("DROP TRIGGER damaged");
  await expect.poll(() => send("last")).toMatch(/^250 /);
  await expect.poll(() => spoolState(spool)).toEqual({ queued: 0, uncounted: 0 });
  expect(relay.taken.length).toBeGreaterThan(accepted);
  expect(await counts(ALIAS)).toEqual({ ...NOTHING, sent: relay.taken.length });
});

test("the sender of a message whose body is gone is told at once", async () => {
  let isDown = true;
  const relay = await startRelay(() => {
    if (isDown) throw Object.assign(new Error("busy"), { responseCode: 450 });
  });
  const { spool, send, counts } = await start(relay);
  expect(await send(`${"x".repeat(98)}\r\n`.repeat(4_000))).toMatch(/^250 /);
  const bodies = join(spool, "bodies");
  await expect.poll(() => readdirSync(bodies)).toHaveLength(1);
  for (const body of readdirSync(bodies)) rmSync(join(bodies, body));
  isDown = false;
  // It may have been tried already, and deferred.
  await retryAll(spool);
  await expect.poll(() => relay.taken.map(({ to }) => to)).toEqual([SENDER]);
  await expect.poll(() => counts(ALIAS)).toEqual({ ...NOTHING, bounced: 1 });
});
