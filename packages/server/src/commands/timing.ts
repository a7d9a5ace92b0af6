import { systemClock } from "@postern/node";

/**
 * For a command's operations, and for each call to its store: beside a busy server, a SQLite store waits up to 10 seconds for a
 * lock, a page of a large DynamoDB table can take seconds, and nobody else waits for the command.
 */
export const timing = { clock: systemClock, timeoutMs: 30_000 } as const;
