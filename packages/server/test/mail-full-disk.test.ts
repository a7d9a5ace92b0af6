import { appendFileSync, mkdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { newMailStore } from "./support/mail-store.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

const ALIAS = "shop@alias.example.com";
const MAILBOXES = ["ada@home.example", "grace@work.example"];
const MB = 1_000_000;
/** What fails because of the disk is tried again every ten seconds. */
const PATIENCE = { timeout: 120_000 };

/** Runs a command with a small disk of its own mounted there. Only root may do that without a user namespace. */
const withDiskAt = (path: string): readonly string[] => [
  ...["unshare", "--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])],
  ...["sh", "-c", `mount -t tmpfs -o size=10m none '${path}' && exec "$@"`, "sh"],
];

/** Writes to a file until this much is left on its disk. */
const fillUp = (file: string, left: number): void => {
  const { bavail, bsize } = statfsSync(join(file, ".."));
  try {
    appendFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch (error) {
    // The server writes at the same time.
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
};

test("while the disk of the spool is full, mail is refused for the time being; nothing is lost, and nothing sent twice", {
  timeout: 300_000,
}, async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: MAILBOXES });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const relay = await startRelay(() => released);
  const spool = variables.POSTERN_SPOOL_PATH;
  mkdirSync(spool);
  const server = await startServerProcess(
    { ...variables, ...store.variables, POSTERN_RELAY_URL: relay.url },
    withDiskAt(spool),
  );
  onTestFinished(() => void server.kill());
  const ballast = join("/proc", String(server.pid), "root", spool, "ballast");
  const send = async (number: number, size: number) => {
    const line = `${"x".repeat(98)}\r\n`.repeat(size / 100);
    const text = `From: bob@sender.test\r\nSubject: ${number}\r\n\r\n${line}`;
    return (await submit(server.mailPort(), { to: ALIAS, text })).reply;
  };

  fillUp(ballast, 2 * MB);
  const acknowledged: number[] = [];
  let reply = "250 ";
  for (let number = 1; reply.startsWith("250 "); number += 1) {
    reply = await send(number, 50_000);
    if (reply.startsWith("250 ")) acknowledged.push(number);
    expect(number).toBeLessThan(100);
  }
  expect(reply).toBe("452 4.3.1 No space left, try again later");
  expect(acknowledged.length).toBeGreaterThan(0);
  // One that goes to a file of its own.
  expect(await send(1_000, 400_000)).toBe("452 4.3.1 No space left, try again later");

  fillUp(ballast, 0);
  release();
  await expect.poll(() => relay.taken.length, PATIENCE).toBeGreaterThan(0);
  expect(await send(1_001, 50_000)).toMatch(/^45[12] 4\.3\.[01] /);
  rmSync(ballast);
  const copies = acknowledged.length * MAILBOXES.length;
  await expect.poll(() => store.counts(ALIAS), PATIENCE).toEqual({ ...NOTHING, sent: copies });
  expect(await send(2_000, 400_000)).toMatch(/^250 /);
  await expect.poll(() => store.counts(ALIAS), PATIENCE).toEqual({ ...NOTHING, sent: copies + 2 });

  const arrived = relay.taken.map(({ to, raw }) => `${/^Subject: (.*)\r$/m.exec(raw)?.[1]} ${to}`);
  const expected = [...acknowledged, 2_000].flatMap((number) => MAILBOXES.map((to) => `${number} ${to}`));
  expect(arrived.toSorted()).toEqual(expected.toSorted());
  // Copies that the relay had taken could not be settled while it was full.
  expect(await server.stop()).toContain('"operation":"settle","cause":"sqlite SQLITE_FULL"');
});
