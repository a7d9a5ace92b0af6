import type { Logger } from "../../src/index.ts";

/** A logger that records its lines. */
export const recordingLog = () => {
  const lines: (readonly [details: object, message: string])[] = [];
  const keep = (...line: readonly [object, string]) => void lines.push(line);
  const log: Logger = { error: keep, warn: keep, info: keep };
  return { log, lines };
};
