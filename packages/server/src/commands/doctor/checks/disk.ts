import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../../system-code.ts";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { fileSystemOf } from "./file-system.ts";
import { ofSqliteFile } from "./of-sqlite-file.ts";

const NAME = "disk";

const MIB = 2 ** 20;

/** Less than this is soon full, even of a store with little traffic. */
const TOO_LITTLE = 100 * MIB;
const LITTLE = 1024 * MIB;

/** Of a larger disk, this part is little, though not more than `MUCH`. */
const LITTLE_PART = 0.1;
const MUCH = 10 * LITTLE;

const FREE = "Free space or enlarge the disk: without space, writes fail";

/** The first directory on the path upwards that exists. */
const existing = async (path: string): Promise<string> => {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    return existing(dirname(path));
  }
};

const space = (directory: string, free: number, total: number, store: number): Finding => {
  const found = `${sizeOf(free)} of ${sizeOf(total)} are free on the disk of ${directory}`;
  if (free < TOO_LITTLE) return wrong(NAME, found, FREE);
  if (free < LITTLE || (free < MUCH && free < total * LITTLE_PART)) return warning(NAME, found, FREE);
  // VACUUM and a backup beside the store write a copy of it.
  if (free < 2 * store) return warning(NAME, `${found}, and the store has ${sizeOf(store)}`, FREE);
  return fine(NAME, found);
};

const kind = (type: number): Finding => {
  const system = process.platform === "linux" ? fileSystemOf(type) : ({ kind: "local" } as const);
  switch (system.kind) {
    case "local":
      return fine(NAME, "a local file system");
    case "network":
      return wrong(
        NAME,
        `the store is on a network file system (${system.name}), where SQLite's locks do not work and the file can be damaged`,
        "Move it to a local disk, or use POSTERN_STORE=postgres or dynamodb",
      );
    case "memory":
      return warning(
        NAME,
        "the store is on a file system in memory: everything is lost when the machine stops",
        "Move it to a disk",
      );
    case "unknown":
      return warning(
        NAME,
        "the store is on a FUSE file system, which can be anything",
        "Make sure that it is on a local disk",
      );
  }
};

const check = async (path: string): Promise<Finding> => {
  const directory = await existing(dirname(path));
  const [{ bsize, bavail, blocks, ffree, files, type }, store] = await Promise.all([
    statfs(directory),
    stat(path).catch(() => ({ size: 0 })),
  ]);
  const found = together(NAME, [
    space(directory, bavail * bsize, blocks * bsize, store.size),
    kind(type),
    // Some file systems do not count them.
    files > 0 && ffree === 0
      ? wrong(NAME, "the disk has no free inode", "Delete files: none can be created")
      : fine(NAME, "free inodes"),
  ]);
  return found.status === "ok" ? space(directory, bavail * bsize, blocks * bsize, store.size) : found;
};

/** Where a SQLite store is, and whether there is space. */
export const disk = ofSqliteFile(NAME, check, "not used");
