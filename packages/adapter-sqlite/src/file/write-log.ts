import type { StatementSync } from "node:sqlite";

/** About as many as a log has before the server writes it to the file after a commit (`LONG_LOG`). */
const FEW_FRAMES = 1_000;

/** If others write faster than the log is written to the file, it is not waited for. */
const MAX_PASSES = 10;

/**
 * Writes the write-ahead log to the file, as far as nobody is reading older data. For a command next to a server, as soon as a long read of
 * its own has ended: the log has only grown meanwhile, and otherwise the server's next write would last until all of it is written.
 * Nobody's writes wait for this. What they add is written in another pass, until one finds only a little. Does not throw, and leaves the
 * log to others if they are writing it, or if that fails.
 */
export const writeLog = (sql: (text: string) => Pick<StatementSync, "get">): void => {
  let written = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    try {
      const checkpointed = Number(sql("PRAGMA wal_checkpoint(PASSIVE)").get()?.["checkpointed"]);
      if (checkpointed - written < FEW_FRAMES) return;
      written = checkpointed;
    } catch {
      // The next write tries again, and reports what fails.
      return;
    }
  }
};
