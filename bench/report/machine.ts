import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

const TMPFS = 0x01021994;

/** The commit that is checked out, and whether files differ from it. */
const commit = (): readonly string[] => {
  const git = (...args: readonly string[]) =>
    spawnSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return [];
  const changed = git("status", "--porcelain", "../../packages").stdout !== "";
  return [`commit ${stdout.trim()}${changed ? ", with changes in packages" : ""}`];
};

/** What the figures depend on, as lines of text: the machine, its versions, and whether others were using it. */
export const machineFacts = (directory: string): readonly string[] => [
  `${cpus()[0]?.model.trim() ?? "unknown processor"}, ${availableParallelism()} cores`,
  `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
  `${type()} ${release()}, Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}`,
  statfsSync(directory).type === TMPFS
    ? "SQLite files in memory (tmpfs): commits do not wait for a disk, so the SQLite rows say little"
    : "SQLite files on a disk",
  `load average at the start: ${loadavg()[0]?.toFixed(2)} (above 0.3, something else was using the machine)`,
  ...commit(),
];
