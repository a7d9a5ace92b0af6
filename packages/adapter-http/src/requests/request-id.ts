import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { hostOf } from "../request-host.ts";

/** Excludes everything that could be an address, or break out of a log line or header. */
const WELL_FORMED = /^[A-Za-z0-9_.-]{1,64}$/;

/** The client's `X-Request-Id`, if it is well formed. */
export const clientRequestId = ({ headers }: IncomingMessage): string | null => {
  // Node joins several with commas, which are not well formed.
  const sent = headers["x-request-id"];
  return typeof sent === "string" && WELL_FORMED.test(sent) ? sent : null;
};

/** The id of a request in its response and in log lines: the client's, or else the host's, or else a new one. */
export const requestId = (request: IncomingMessage): string =>
  clientRequestId(request) ?? hostOf(request).requestId ?? randomUUID();
