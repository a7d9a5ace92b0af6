import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Tokens } from "@postern/sign-in";
import { errorCode } from "../error-code.ts";
import { Stop } from "../stop.ts";

/** Which server is used, and where people sign in for it. */
export type Settings = {
  /** The base address of the API. */
  readonly url: string;
  readonly issuer: string;
  readonly clientId: string;
  /** What the browser's sign-in asks for, separated by spaces; null for what is needed at least. */
  readonly scope: string | null;
};

/** What is stored. Without tokens, nobody is signed in, and the settings are those of the last time. */
export type Session = Settings & { readonly tokens: Tokens | null };

/** Where the session is. A relative path in the variable is ignored (XDG Base Directory Specification 0.8). */
export const sessionPath = (): string => {
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(homedir(), ".local/state"), "postern/session.json");
};

/**
 * The stored session; null if there is none.
 *
 * @throws Stop if it cannot be read, or if others can read it: then its tokens are no secret any more
 */
export const readSession = async (): Promise<Session | null> => {
  const path = sessionPath();
  let text: string;
  try {
    const file = await open(path, "r");
    try {
      const { mode, uid } = await file.stat();
      refuseShared(path, mode, uid);
      text = await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Stop) throw error;
    if (errorCode(error) === "ENOENT") return null;
    throw new Stop(
      "signIn",
      `session_unreadable: ${path} cannot be read (${errorCode(error)}). Delete it, or make it yours, and run \`postern login\`.`,
    );
  }
  const session = parseSession(text);
  if (session === null) {
    throw new Stop(
      "signIn",
      `session_unreadable: ${path} is not a session. Run \`postern login\`, which replaces it.`,
    );
  }
  return session;
};

/** Windows has no such modes, and keeps the files of a home from others by itself. */
const refuseShared = (path: string, mode: number, uid: number): void => {
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user || (mode & 0o077) !== 0) {
    const who =
      uid === user ? `others can read it (mode ${(mode & 0o777).toString(8)})` : "it belongs to another user";
    throw new Stop(
      "signIn",
      `session_not_private: ${path} is not used, because ${who}. Delete it, and run \`postern login\`.`,
    );
  }
};

/** A cast, because this is where the value is parsed: any object has unknown members. */
const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

const parseTokens = (value: unknown): Tokens | null => {
  const { idToken, accessToken, refreshToken, expiresAt, from } = objectOf(value);
  return isText(idToken) &&
    isText(accessToken) &&
    isTextOrNull(refreshToken) &&
    typeof expiresAt === "number" &&
    (from === "password" || from === "code")
    ? { idToken, accessToken, refreshToken, expiresAt, from }
    : null;
};

const parseSession = (text: string): Session | null => {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  const { url, issuer, clientId, scope, tokens } = objectOf(stored);
  return isText(url) && isText(issuer) && isText(clientId) && isTextOrNull(scope)
    ? { url, issuer, clientId, scope, tokens: parseTokens(tokens) }
    : null;
};

const notWritable = (path: string, error: unknown): Stop =>
  new Stop(
    "refused",
    `session_not_writable: ${path} cannot be written (${errorCode(error)}). Set XDG_STATE_HOME to a directory of yours, or POSTERN_TOKEN to an ID token.`,
  );

/**
 * Replaces the stored session. It is written beside the old one and renamed, so that it is never incomplete, and never readable by others.
 *
 * @throws Stop if it cannot be written
 */
export const writeSession = async (session: Session): Promise<void> => {
  const path = sessionPath();
  const beside = `${path}.${crypto.randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(session, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    throw notWritable(path, error);
  }
};

/** How long nobody can hold the lock, in milliseconds: whoever has it gives up earlier. */
const LONGEST_MS = 60_000;

/** Whether nobody has the lock any more: its process was killed on this machine, or it is too old. */
const isAbandoned = async (path: string): Promise<boolean> => {
  try {
    const [{ mtimeMs }, owner] = await Promise.all([stat(path), readFile(path, "utf8")]);
    if (Date.now() - mtimeMs > LONGEST_MS) return true;
    const [host, pid] = owner.split(" ");
    return host === hostname() && !isRunning(Number(pid));
  } catch {
    // It has been released.
    return false;
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Otherwise it is somebody else's.
    return errorCode(error) !== "ESRCH";
  }
};

/**
 * Runs the work while no other process does, so that a refresh token that can be used once is not used twice.
 *
 * Two processes that find an abandoned lock in the same moment can both get in: then, at worst, the person signs in again.
 *
 * @throws Stop if there can be no lock; and whatever the work throws
 */
export const withLock = async <T>(work: () => Promise<T>, pause = 50): Promise<T> => {
  const path = `${sessionPath()}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error) => {
    throw notWritable(path, error);
  });
  for (;;) {
    try {
      await writeFile(path, `${hostname()} ${process.pid}`, { flag: "wx", mode: 0o600 });
      break;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw notWritable(path, error);
    }
    if (await isAbandoned(path)) await rm(path, { force: true });
    else await setTimeout(pause);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
};
