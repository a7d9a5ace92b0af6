import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { run } from "./support/run-command.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

const ALIAS = "shop@alias.example.com";
const TEXT = "From: bob@sender.test\r\nSubject: Hello\r\n\r\nHow are you?";

test("a second server on the spool of a running one is refused with one line, and the first one goes on", {
  timeout: 120_000,
}, async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: ["ada@home.example"] });
  const relay = await startRelay();
  const all = { ...variables, POSTERN_RELAY_URL: relay.url };
  const server = await startServerProcess({ ...all, ...store.variables });
  onTestFinished(async () => void (await server.stop()));

  expect(await run(all)).toEqual({
    status: 1,
    output: "",
    errors: `Mail cannot be received:\n\n  POSTERN_SPOOL_PATH: ${join(variables.POSTERN_SPOOL_PATH, "spool.db")} is in use by another store or program; only one store can have it open.\n`,
  });

  expect((await submit(server.mailPort(), { to: ALIAS, text: TEXT })).reply).toMatch(/^250 /);
  await expect.poll(() => relay.taken.map(({ to }) => to)).toEqual(["ada@home.example"]);
});
