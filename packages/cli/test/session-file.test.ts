import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
import { expect, test, vi } from "vitest";
import { readSession, sessionPath, withLock, writeSession } from "../src/session/session-file.ts";

const session = {
  url: "https://postern.example",
  issuer: "https://auth.example",
  clientId: "postern",
  scope: null,
  tokens: { idToken: "a.b.c", accessToken: "d.e.f", refreshToken: null, expiresAt: 1, from: "code" },
} as const;

/** A new place for a session. */
const newState = (): string => {
  vi.stubEnv("XDG_STATE_HOME", newDirectory());
  return sessionPath();
};

test("a session is stored for its owner alone, and nothing is left beside it", async () => {
  const path = newState();
  expect(await readSession()).toBeNull();
  await writeSession(session);
  await writeSession({ ...session, tokens: null });
  expect(await readSession()).toEqual({ ...session, tokens: null });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(path))).toEqual(["session.json"]);
});

test.each([0o640, 0o604, 0o620])("a session that others can use (mode %o) is refused", async (mode) => {
  const path = newState();
  await writeSession(session);
  chmodSync(path, mode);
  await expect(readSession()).rejects.toMatchObject({
    exit: "signIn",
    message: expect.stringContaining(`session_not_private: ${path}`),
  });
});

test.each(["", "null", "{", "[]", '{"url":"https://postern.example"}', '{"tokens":{}}'])(
  "what is not a session is refused, and replaced: %s",
  async (text) => {
    const path = newState();
    mkdirSync(dirname(path));
    writeFileSync(path, text, { mode: 0o600 });
    await expect(readSession()).rejects.toMatchObject({ exit: "signIn" });
    await writeSession(session);
    expect(await readSession()).toEqual(session);
  },
);

test("where nothing can be written, the message says what to do instead", async () => {
  const path = newState();
  // A file where a directory should be: even root cannot write there.
  writeFileSync(dirname(path), "");
  await expect(writeSession(session)).rejects.toMatchObject({
    exit: "refused",
    message: expect.stringMatching(/session_not_writable: .*XDG_STATE_HOME.*POSTERN_TOKEN/),
  });
  await expect(withLock(async () => {})).rejects.toMatchObject({ exit: "refused" });
});

test("a relative XDG_STATE_HOME is ignored", () => {
  vi.stubEnv("XDG_STATE_HOME", "state");
  expect(sessionPath()).toMatch(/\/\.local\/state\/postern\/session\.json$/);
});

test("work under the lock runs one after the other, and a failure lets the next in", async () => {
  newState();
  let running = 0;
  const work = async (n: number) => {
    running += 1;
    expect(running).toBe(1);
    await new Promise(setImmediate);
    running -= 1;
    if (n % 2 === 0) throw new Error("fails");
    return n;
  };
  const all = await Promise.allSettled([1, 2, 3, 4].map((n) => withLock(() => work(n), 1)));
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  expect(readdirSync(dirname(sessionPath()))).toEqual([]);
});

test("the lock of a process that was killed is broken at once, and that of one that runs is not", async () => {
  const lock = `${newState()}.lock`;
  mkdirSync(dirname(lock));
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  writeFileSync(lock, `${hostname()} ${other.pid}`);
  const waiting = withLock(async () => existsSync(lock), 1);
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(readFileSync(lock, "utf8")).toBe(`${hostname()} ${other.pid}`);
  other.kill("SIGKILL");
  await once(other, "close");
  expect(await waiting).toBe(true);
});

test("a lock whose owner is not known is broken after a minute, and no earlier", async () => {
  const lock = `${newState()}.lock`;
  mkdirSync(dirname(lock));
  writeFileSync(lock, "");
  const age = (seconds: number) => {
    const then = Date.now() / 1_000 - seconds;
    utimesSync(lock, then, then);
  };
  age(30);
  const waiting = withLock(async () => existsSync(lock), 1);
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(existsSync(lock)).toBe(true);
  age(61);
  expect(await waiting).toBe(true);
  expect(existsSync(lock)).toBe(false);
});
