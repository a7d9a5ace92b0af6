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
    ? "files of SQLite in memory (tmpfs): a commit waits for no disk, so the rows of SQLite say little"
    : "files of SQLite on a disk",
  `load average when it began: ${loadavg()[0]?.toFixed(1)} (others were using the machine if it is above 1)`,
  ...commit(),
];
