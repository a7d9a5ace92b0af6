import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runsWhole } from "@postern/test-support/runs-whole";
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
/** How large the disk is, in megabytes. What the reserve leaves of it has to be filled with messages. */
const DISK = runsWhole(import.meta.url) ? 40 : 24;
/** How many bytes a new spool leaves free. */
const RESERVE = 16 * 2 ** 20;

/**
 * Mounts a small disk at the path, visible only to processes that are started with this wrapper. Others see it at `seenAt`. It exists
 * until the end of the test. Only root may mount anything without a user namespace.
 */
const newDisk = async (path: string) => {
  mkdirSync(path);
  const isRoot = process.getuid?.() === 0;
  const mount = `mount -t tmpfs -o size=${DISK}m none '${path}' && echo mounted && exec sleep infinity`;
  const user = isRoot ? [] : ["--user", "--map-root-user"];
  const [command = "", ...args] = ["unshare", "--mount", ...user, "sh", "-c", mount];
  const holder = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, "data");
  return {
    wrapper: [
      ...["nsenter", "--target", String(holder.pid), "--mount"],
      ...(isRoot ? [] : ["--user", "--preserve-credentials"]),
    ],
    seenAt: join("/proc", String(holder.pid), "root", path),
  };
};

/** Makes all queued copies due now, and returns how many there are. */
const retryCopies = (wrapper: readonly string[], spool: string): number => {
  const script = fileURLToPath(new URL("support/retry-copies.ts", import.meta.url));
  const [command = "", ...args] = [...wrapper, process.execPath, script, spool];
  return Number(execFileSync(command, args, { encoding: "utf8" }));
};

const FULL = "452 4.3.1 No space left, try again later";

const send = async (port: number, number: number, size: number): Promise<string> => {
  const line = `${"x".repeat(98)}\r\n`.repeat(size / 100);
  const text = `From: bob@sender.test\r\nSubject: ${number}\r\n\r\n${line}`;
  return (await submit(port, { to: ALIAS, text })).reply;
};

/** Sends messages of this size until one is refused. Returns the numbers of the others. */
const sendUntilFull = async (port: number, size: number): Promise<readonly number[]> => {
  for (let number = 1; number < 500; number += 1) {
    const reply = await send(port, number, size);
    if (reply.startsWith("250 ")) continue;
    expect(reply).toBe(FULL);
    expect(number).toBeGreaterThan(1);
    return Array.from({ length: number - 1 }, (_, n) => n + 1);
  }
  return expect.unreachable("the disk should be full");
};

/** Checks that the relay got each of these messages once for each mailbox. */
const expectArrived = (
  { taken }: Pick<Awaited<ReturnType<typeof startRelay>>, "taken">,
  numbers: readonly number[],
) => {
  const arrived = taken.map(({ to, raw }) => `${/^Subject: (.*)\r$/m.exec(raw)?.[1]} ${to}`);
  const expected = numbers.flatMap((number) => MAILBOXES.map((to) => `${number} ${to}`));
  expect(arrived.toSorted()).toEqual(expected.toSorted());
};

/** Writes to a file until only this many bytes are left on its disk. */
const fillUp = (file: string, left: number): void => {
  const { bavail, bsize } = statfsSync(join(file, ".."));
  try {
    appendFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch (error) {
    // The server writes at the same time.
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
};

test("while other programs fill the spool's disk, mail is refused temporarily; nothing is lost, and nothing is sent twice", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: MAILBOXES });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const relay = await startRelay(() => released);
  const { wrapper, seenAt } = await newDisk(variables.POSTERN_SPOOL_PATH);
  const server = await startServerProcess(
    { ...variables, ...store.variables, POSTERN_RELAY_URL: relay.url },
    wrapper,
  );
  onTestFinished(() => void server.kill());
  const ballast = join(seenAt, "ballast");

  fillUp(ballast, RESERVE + 0.5 * MB);
  const acknowledged = await sendUntilFull(server.mailPort(), 50_000);
  // A message that gets a file of its own.
  expect(await send(server.mailPort(), 1_000, 400_000)).toBe(FULL);

  fillUp(ballast, 0);
  release();
  await expect.poll(() => relay.taken.length).toBeGreaterThan(0);
  expect(await send(server.mailPort(), 1_001, 50_000)).toBe(FULL);
  rmSync(ballast);
  const copies = acknowledged.length * MAILBOXES.length;
  await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies });
  expect(await send(server.mailPort(), 2_000, 400_000)).toMatch(/^250 /);
  await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies + 2 });
  expectArrived(relay, [...acknowledged, 2_000]);
  await server.stop();
});

test.each([
  ["in the database", 200_000],
  ["in files", 400_000],
])(
  "a spool that has filled its disk with bodies %s is emptied, and accepts mail again at once",
  async (_, size) => {
    const { directory, variables } = await newMailEnvironment();
    const store = await newMailStore(directory, { [ALIAS]: MAILBOXES });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const relay = await startRelay(() => released);
    const { wrapper } = await newDisk(variables.POSTERN_SPOOL_PATH);
    const server = await startServerProcess(
      { ...variables, ...store.variables, POSTERN_RELAY_URL: relay.url },
      wrapper,
    );
    onTestFinished(() => void server.kill());
    const acknowledged = await sendUntilFull(server.mailPort(), size);
    release();
    const copies = acknowledged.length * MAILBOXES.length;
    await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies });
    expect(retryCopies(wrapper, variables.POSTERN_SPOOL_PATH)).toBe(0);
    expect(await send(server.mailPort(), 2_000, size)).toMatch(/^250 /);
    await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies + 2 });
    expectArrived(relay, [...acknowledged, 2_000]);
    expect(await server.stop()).not.toContain("SQLITE_FULL");
  },
);

test("a spool that has filled its disk is emptied after a restart, and its copies can be retried", async () => {
  const { directory, variables } = await newMailEnvironment();
  const store = await newMailStore(directory, { [ALIAS]: MAILBOXES });
  const { wrapper } = await newDisk(variables.POSTERN_SPOOL_PATH);
  const withRelay = (url: string) => ({ ...variables, ...store.variables, POSTERN_RELAY_URL: url });
  const first = await startServerProcess(withRelay("smtp://127.0.0.1:1"), wrapper);
  const acknowledged = await sendUntilFull(first.mailPort(), 200_000);
  first.kill();
  await first.ended;
  expect(retryCopies(wrapper, variables.POSTERN_SPOOL_PATH)).toBe(acknowledged.length * MAILBOXES.length);
  const relay = await startRelay();
  const second = await startServerProcess(withRelay(relay.url), wrapper);
  onTestFinished(() => void second.kill());
  const copies = acknowledged.length * MAILBOXES.length;
  await expect.poll(() => store.counts(ALIAS)).toEqual({ ...NOTHING, sent: copies });
  expect(retryCopies(wrapper, variables.POSTERN_SPOOL_PATH)).toBe(0);
  expectArrived(relay, acknowledged);
  expect(await second.stop()).not.toContain("SQLITE_FULL");
});

test("a spool that has filled its disk with mail that nobody accepts has room for a notice about each copy, and is emptied", async () => {
  const { variables } = await newMailEnvironment();
  const { wrapper } = await newDisk(variables.POSTERN_SPOOL_PATH);
  const script = fileURLToPath(new URL("support/refuse-all.ts", import.meta.url));
  const [command = "", ...args] = [...wrapper, process.execPath, script, variables.POSTERN_SPOOL_PATH];
  const { stdout } = await promisify(execFile)(command, args);
  const { kept, notices, putOff, isOpen } = JSON.parse(stdout);
  expect(kept).toBeGreaterThan(0);
  // Twenty for each message.
  expect([notices, isOpen]).toEqual([kept * 20, true]);
  expect(putOff).toBeGreaterThan(0);
});
