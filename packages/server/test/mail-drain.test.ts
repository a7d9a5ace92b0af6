import { expect, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { spoolState } from "./support/spool-state.ts";
import { submit } from "./support/submit.ts";

const ALIAS = "shop@alias.example.com";

test("a server stops while the relay does not respond to a copy, which is sent after the next start and counted once", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: ["ada@home.example"] });
  const arrived: string[] = [];
  let hangs = true;
  const relay = await startRelay(({ raw }) => {
    arrived.push(raw);
    return hangs ? new Promise(() => {}) : undefined;
  });
  const start = () => startServerProcess({ ...variables, ...store.variables, POSTERN_RELAY_URL: relay.url });

  const first = await start();
  const text = "From: bob@sender.test\r\nMessage-ID: <1@sender.test>\r\n\r\nHello";
  expect((await submit(first.mailPort(), { to: ALIAS, text })).reply).toMatch(/^250 /);
  await expect.poll(() => arrived.length).toBe(1);
  // The server would wait 20 minutes for the relay.
  await first.stop();
  expect(spoolState(variables.POSTERN_SPOOL_PATH)).toEqual({ queued: 1, uncounted: 0 });
  expect(await store.counts(ALIAS)).toEqual(NOTHING);

  hangs = false;
  const second = await start();
  await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: 1 });
  await second.stop();
  expect(relay.taken).toHaveLength(1);
  const ids = arrived.map((raw) => /^Message-ID: .*$/im.exec(raw)?.[0]);
  expect(ids[0]).toMatch(/^Message-ID: <m-[\w-]+@/);
  expect(ids).toEqual([ids[0], ids[0]]);
  expect(spoolState(variables.POSTERN_SPOOL_PATH)).toEqual({ queued: 0, uncounted: 0 });
  expect(await store.counts(ALIAS)).toEqual({ ...NOTHING, sent: 1 });
});
