import type { IncomingMessage } from "node:http";
import type { TimeLeft } from "@postern/core";

/** What the host of an API knows about a request besides HTTP. */
export type RequestHost = {
  /** What the authorizer gets as `context`. */
  readonly context?: unknown;
  /** The id of the request, if its client sends none: 1 to 64 letters, digits, `_`, `.` and `-`. */
  readonly requestId?: string | undefined;
  /** How long the host still waits for the response, in milliseconds; as long as it takes by default. */
  readonly timeLeft?: TimeLeft | undefined;
};

const hosts = new WeakMap<IncomingMessage, RequestHost>();

const UNKNOWN: RequestHost = {};

/** What the host has said about a request. */
export const hostOf = (request: IncomingMessage): RequestHost => hosts.get(request) ?? UNKNOWN;

/**
 * Tells the API about a request what only its host knows. Call it before the request is passed to `api.routing`.
 *
 * With `timeLeft`, every call of the store ends in time, and whatever is not done then is 503. A write that was cut off may still be applied,
 * as a whole.
 *
 * @example
 * ```ts
 * passHost(request, { requestId: context.awsRequestId, timeLeft: () => context.getRemainingTimeInMillis() });
 * api.routing(request, response);
 * ```
 */
export const passHost = (request: IncomingMessage, host: RequestHost): void => {
  hosts.set(request, host);
};
