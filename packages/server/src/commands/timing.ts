import { systemClock } from "@postern/node";

/**
 * For the operations of a command: beside a busy server, each call of a SQLite store waits up to 10 seconds for a lock, and
 * nobody else waits for the command.
 */
export const timing = { clock: systemClock, timeoutMs: 30_000 } as const;
