import { type Level, type Logger, pino } from "pino";

/** How long the end of the process may wait for a reader of the log that is stuck. */
const FLUSH_TIMEOUT_MS = 1_000;

/** Lines are written together, once they have this many bytes: to write each costs as much as a third of a request. */
const BATCH = 4096;

/** The longest that a line waits for others, in milliseconds. */
const FLUSH_INTERVAL_MS = 50;

/** How much of the log may wait for a slow reader or a full disk, in bytes. Further lines are dropped. */
const MAX_WAITING = 2 ** 20;

/**
 * Writes JSON lines to standard output, in the background: nothing waits for a slow reader, and the server does not end
 * because the log cannot be written. A process that is killed loses up to 50 milliseconds of lines.
 */
export const newLogger = (level: Level | "silent"): Logger => {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: BATCH,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxLength: MAX_WAITING,
  });
  output.on("error", () => {
    // At the exit of the process it would retry forever.
    output.flushSync = () => {};
  });
  return pino({ level }, output);
};

/**
 * Resolves once everything logged is written, or cannot be, within a second. Without it, `process.exit` loses the last
 * lines or writes them in another order.
 */
export const flushed = (logger: Logger): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    logger.flush(() => {
      clearTimeout(deadline);
      resolve();
    });
  });
