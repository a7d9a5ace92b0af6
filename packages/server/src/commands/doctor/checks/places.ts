import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../../system/system-code.ts";
import { type Found, fine, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";

/* Who may use files and directories, and how much space is left for them. */

/** A file or directory that exists. */
export type Place = {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly size: number;
};

/**
 * What is at the path; null if there is nothing. Throws any other system error. Follows symbolic links, which have mode
 * 0777: with `DynamicUser`, systemd makes the state directory one.
 */
export const placeAt = async (path: string): Promise<Place | null> => {
  try {
    const { mode, uid, size } = await stat(path);
    return { path, mode, uid, size };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
};

/** The path if this user can see it, otherwise its nearest ancestor that they can see. */
const existing = async (path: string): Promise<string> => {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (!["ENOENT", "EACCES"].includes(systemCode(error)) || dirname(path) === path) throw error;
    return existing(dirname(path));
  }
};

const { R_OK, W_OK, X_OK } = constants;

const accessible = async (path: string, wanted: number): Promise<Found> => {
  const code = await access(path, wanted).then(() => null, systemCode);
  // SQLite deletes the log when the last user of the store closes it.
  if (code === null || code === "ENOENT") return fine(path);
  return wrong(
    `this user (uid ${process.getuid?.()}) may not read and write ${path} (${code})`,
    "Give the files and their directory to the user of the server (chown), or run doctor as that user. EROFS: mount the file system rw",
  );
};

export const usableFile = ({ path }: Place): Promise<Found> => accessible(path, R_OK | W_OK);

/** Whether files can be created in a directory, and which: if it does not exist, it will be created in its nearest existing ancestor. */
export const usableDirectory = async (path: string): Promise<Found> => {
  const ancestor = await existing(path);
  const found = await accessible(ancestor, R_OK | W_OK | X_OK);
  return found.status === "ok" && ancestor !== path
    ? fine(`${path} does not exist: the server creates it with mode 0700 when it starts`)
    : found;
};

/** @param risk what other users can do if they can use it */
export const onlyOwners = ({ path, mode }: Place, right: string, risk: string): Found =>
  (mode & 0o077) === 0
    ? fine(path)
    : warning(
        `${path} has mode ${(mode & 0o777).toString(8).padStart(4, "0")}: other users can ${risk}`,
        `Change the mode with chmod ${right}`,
      );

const MIB = 2 ** 20;

/** Less free space than this soon runs out, even for a store with little traffic. */
const TOO_LITTLE = 100 * MIB;
const LITTLE = 1024 * MIB;

/**
 * Whether there is enough space on the disk of a file or directory, which need not exist yet.
 *
 * @param needs how much it will need, in bytes
 * @param reason why it needs that: continues a sentence about the free space
 */
export const freeSpace = async (path: string, needs: number, reason: string): Promise<Found> => {
  const directory = await existing(path);
  const { bsize, bavail, blocks } = await statfs(directory);
  const free = bavail * bsize;
  const found = `${sizeOf(free)} of ${sizeOf(blocks * bsize)} are free on the disk of ${directory}`;
  const action = "Free space or enlarge the disk: without space, writes fail";
  if (free < TOO_LITTLE) return wrong(found, action);
  if (free < LITTLE) return warning(found, action);
  return free < needs ? warning(`${found}, ${reason}`, action) : fine(found);
};
