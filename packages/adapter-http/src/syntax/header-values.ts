import type { IncomingMessage } from "node:http";

/**
 * Every value that a request gives a header, `name` in lower case. `headers` would hold only the first of several for
 * some names.
 */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
