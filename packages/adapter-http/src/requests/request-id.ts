import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Nothing that could be an address, or break out of a log line or a header. */
const WELL_FORMED = /^[A-Za-z0-9_.-]{1,64}$/;

/** What ties together a request's answer and its log lines: the caller's `X-Request-Id` if well formed, else a new one. */
export const requestId = ({ headers }: IncomingMessage): string => {
  // Node joins several into one, with commas: these are not well formed.
  const given = String(headers["x-request-id"] ?? "");
  return WELL_FORMED.test(given) ? given : randomUUID();
};
