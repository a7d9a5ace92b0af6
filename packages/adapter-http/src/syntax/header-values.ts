import type { IncomingMessage } from "node:http";

/**
 * Every value of a request header; `name` is in lower case. For some names, Node's `headers` contains only the first of
 * several values.
 */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
