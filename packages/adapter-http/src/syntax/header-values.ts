import type { IncomingMessage } from "node:http";

/** Every value that the request gives a header, `name` in lower case. Node itself keeps the first of several only. */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
