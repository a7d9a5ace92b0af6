import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../../system-code.ts";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { sizeOf } from "../size-of.ts";
import { fileSystemOf } from "./file-system.ts";

/** Something stored on a disk, and what it needs there. */
type Tenant = {
  /** The name of the check. */
  readonly check: string;
  /** What it is called: `the store`. */
  readonly what: string;
  /** Free space that it will need, in bytes. */
  readonly needs: number;
  /** Why it needs that: continues a sentence about the free space. */
  readonly why: string;
  /** What to do on a network file system, where SQLite's locks do not work. */
  readonly insteadOfNetwork: string;
};

const MIB = 2 ** 20;

/** Less free space than this soon runs out, even for a store with little traffic. */
const TOO_LITTLE = 100 * MIB;
const LITTLE = 1024 * MIB;

/** On a larger disk, less free space than this share is also little, unless it is at least `MUCH`. */
const LITTLE_PART = 0.1;
const MUCH = 10 * LITTLE;

const FREE = "Free space or enlarge the disk: without space, writes fail";

/** The path if it exists, otherwise its nearest existing ancestor. */
const existing = async (path: string): Promise<string> => {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    return existing(dirname(path));
  }
};

const space = (directory: string, free: number, total: number, { check, needs, why }: Tenant): Finding => {
  const found = `${sizeOf(free)} of ${sizeOf(total)} are free on the disk of ${directory}`;
  if (free < TOO_LITTLE) return wrong(check, found, FREE);
  if (free < LITTLE || (free < MUCH && free < total * LITTLE_PART)) return warning(check, found, FREE);
  if (free < needs) return warning(check, `${found}, ${why}`, FREE);
  return fine(check, found);
};

const kind = (type: number, { check, what, insteadOfNetwork }: Tenant): Finding => {
  const system = process.platform === "linux" ? fileSystemOf(type) : ({ kind: "local" } as const);
  switch (system.kind) {
    case "local":
      return fine(check, "a local file system");
    case "network":
      return wrong(
        check,
        `${what} is on a network file system (${system.name}), where SQLite's locks do not work and the file can be damaged`,
        insteadOfNetwork,
      );
    case "memory":
      return warning(
        check,
        `${what} is on a file system in memory: everything is lost when the machine stops`,
        "Move it to a disk",
      );
    case "unknown":
      return warning(
        check,
        `${what} is on a FUSE file system, so it may not be local`,
        "Make sure that it is on a local disk",
      );
  }
};

/** Whether the disk of a file or directory, which need not exist yet, is of a suitable kind and has enough space. */
export const checkDisk = async (path: string, tenant: Tenant): Promise<Finding> => {
  const directory = await existing(path);
  const { bsize, bavail, blocks, ffree, files, type } = await statfs(directory);
  const free = space(directory, bavail * bsize, blocks * bsize, tenant);
  const found = together(tenant.check, [
    free,
    kind(type, tenant),
    // Some file systems do not count inodes.
    files > 0 && ffree === 0
      ? wrong(tenant.check, "the disk has no free inodes", "Delete files: none can be created")
      : fine(tenant.check, "free inodes"),
  ]);
  return found.status === "ok" ? free : found;
};
