import { type Level, type Logger, pino } from "pino";

/** How long the end of the process may wait for a stuck reader of the log. */
const FLUSH_TIMEOUT_MS = 1_000;

/** Lines are batched until there are this many characters: writing each one separately costs as much as a third of a request. */
const BATCH = 8192;

/** The longest that a line waits for others, in milliseconds. */
const FLUSH_INTERVAL_MS = 50;

/** How much of the log may be buffered for a slow reader or a full disk, in bytes. Further lines are dropped. */
const MAX_WAITING = 2 ** 20;

/**
 * Hands lines over in batches. The destination can do this itself, but for each line it measures all that waits, which takes longer
 * than making the line.
 */
const writeBatches = (output: ReturnType<typeof pino.destination>): void => {
  const write = output.write.bind(output);
  const flush = output.flush.bind(output);
  const flushSync = output.flushSync.bind(output);
  let batch = "";
  const handOver = (): void => {
    if (batch !== "") write(batch);
    batch = "";
  };
  output.write = (line) => {
    batch += line;
    if (batch.length >= BATCH) handOver();
    return true;
  };
  output.flush = (done) => {
    handOver();
    flush(done);
  };
  output.flushSync = () => {
    handOver();
    flushSync();
  };
};

/**
 * Writes JSON lines to standard output, in the background: nothing waits for a slow reader, and the server does not end
 * because the log cannot be written. A process that is killed loses up to 50 milliseconds of lines.
 */
export const newLogger = (level: Level | "silent"): Logger => {
  const output = pino.destination({
    dest: 1,
    sync: false,
    // Not 0: `flush` would call back at once.
    minLength: BATCH,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxLength: MAX_WAITING,
  });
  writeBatches(output);
  output.on("error", () => {
    // When the process exits, it would retry forever.
    output.flushSync = () => {};
  });
  return pino({ level }, output);
};

/**
 * Writes each JSON line to standard output before it returns, for a process that can be stopped at any time, and `write` other text in
 * between.
 */
export const newSynchronousLogger = (level: Level | "silent") => {
  const output = pino.destination({ dest: 1, sync: true });
  return { logger: pino({ level }, output), write: (text: string): void => void output.write(text) };
};

/**
 * Resolves within a second, once everything logged is written or cannot be. Without this, `process.exit` loses the last
 * lines or writes them out of order.
 */
export const flushed = (logger: Logger): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    logger.flush(() => {
      clearTimeout(deadline);
      resolve();
    });
  });
