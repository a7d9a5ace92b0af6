import type { IncomingMessage } from "node:http";

/**
 * Every value of a request header; `name` is in lower case. For some names, Node's `headers` contains only the first of
 * several values.
 */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] => {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i];
    // Comparing lengths first avoids converting nearly all names.
    if (sent?.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
};
