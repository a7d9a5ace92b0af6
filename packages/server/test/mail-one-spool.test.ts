import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { run } from "./support/run-command.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

const ALIAS = "shop@alias.example.com";
const TEXT = "From: bob@sender.test\r\nSubject: Hello\r\n\r\nHow are you?";

test("a second server on a running server's spool is refused with one line, and the first one keeps working", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: ["ada@home.example"] });
  const relay = await startRelay();
  const all = { ...variables, POSTERN_RELAY_URL: relay.url };
  const server = await startServerProcess({ ...all, ...store.variables });
  onTestFinished(async () => void (await server.stop()));

  expect(await run(all)).toEqual({
    status: 1,
    output: "",
    errors: `Mail cannot be received:\n\n  POSTERN_SPOOL_PATH: ${join(variables.POSTERN_SPOOL_PATH, "spool.db")} is in use by another spool or program; only one spool can have it open.\n`,
  });

  expect((await submit(server.mailPort(), { to: ALIAS, text: TEXT })).reply).toMatch(/^250 /);
  await expect.poll(() => relay.taken.map(({ to }) => to)).toEqual(["ada@home.example"]);
});

test("the spool of a killed server can be moved, and a server with another name sends the mail in it", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: ["ada@home.example", "grace@work.example"] });
  const arrived = Promise.withResolvers<void>();
  let isBack = false;
  const relay = await startRelay(async () => {
    arrived.resolve();
    // The first server never hears what became of its copy.
    if (!isBack) await new Promise(() => {});
  });
  const all = { ...variables, ...store.variables, POSTERN_RELAY_URL: relay.url };
  const dead = await startServerProcess(all);
  onTestFinished(() => void dead.kill());
  // A body that gets a file of its own.
  const text = `${TEXT}\r\n${`${"x".repeat(98)}\r\n`.repeat(4_000)}`;
  expect((await submit(dead.mailPort(), { to: ALIAS, text })).reply).toMatch(/^250 /);
  await arrived.promise;
  dead.kill();
  await dead.ended;

  const moved = join(directory, "moved");
  cpSync(variables.POSTERN_SPOOL_PATH, moved, { recursive: true });
  rmSync(variables.POSTERN_SPOOL_PATH, { recursive: true });
  isBack = true;
  const server = await startServerProcess({
    ...all,
    POSTERN_MX_NAME: "mx2.postern.test",
    POSTERN_SPOOL_PATH: moved,
  });
  onTestFinished(async () => void (await server.stop()));
  await expect
    .poll(() => relay.taken.map(({ to }) => to).toSorted())
    .toEqual(["ada@home.example", "grace@work.example"]);
  for (const { raw } of relay.taken)
    expect(raw.endsWith(`${text.slice(text.indexOf("\r\n\r\n"))}\r\n`)).toBe(true);
  await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: 2 });
});
