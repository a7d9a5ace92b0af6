import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import {
  conflict,
  denied,
  internalError,
  overCapacity,
  type ProxyResponse,
  throttled,
} from "./fault-proxy-responses.ts";
import { requestPart } from "./fault-proxy-unprocessed.ts";
import { type Exchange, reply } from "./forwarding-proxy.ts";

/** What can happen to a request on its way to DynamoDB and back. */
export const FAULTS = [
  "throttled",
  "over capacity",
  "internal error",
  /** Another transaction is in progress on an item; applies to writes only. */
  "conflict",
  /** DynamoDB processes only some of the keys; applies to a BatchGetItem of several keys only. */
  "unprocessed keys",
  /** The connection breaks, and DynamoDB never receives the request. */
  "reset before",
  /** DynamoDB responds, but the connection breaks and the response is lost. */
  "reset after",
  /** The connection breaks, and DynamoDB receives the request a while later. */
  "reset, then late",
  /** DynamoDB responds, and the connection breaks in the middle of the response. */
  "truncated response",
  /** DynamoDB never receives the request, and the connection stays open until the client closes it. */
  "silence before",
  /** DynamoDB responds, but the response is lost and the connection stays open. */
  "silence after",
] as const;

/** `denied` is the only one that no attempt survives, and after which nothing is under way. */
export type Fault = (typeof FAULTS)[number] | "denied";

/** Those that any request can meet, and that soon lead to another attempt. */
export const BRIEF_FAULTS = FAULTS.filter(
  (fault) => !["unprocessed keys", "silence before", "silence after"].includes(fault),
);

/** Whether DynamoDB received the request. Null if the fault does not apply to such a request; nothing was sent then. */
type Struck = "forwarded" | "withheld" | null;

/** The delay of a late request, in milliseconds: it arrives after the first retry. */
const LATE_MS = 150;

const reset = (outgoing: ServerResponse): void => {
  outgoing.socket?.resetAndDestroy();
};

const instead =
  (response: ProxyResponse) =>
  async ({ outgoing }: Exchange): Promise<Struck> => {
    reply(outgoing, response);
    return "withheld";
  };

export const strike: Readonly<Record<Fault, (exchange: Exchange) => Promise<Struck>>> = {
  throttled: instead(throttled),
  "over capacity": instead(overCapacity),
  "internal error": instead(internalError),
  denied: instead(denied),
  conflict: async ({ operation, body, outgoing }) => {
    const refusal = conflict(operation, body);
    if (refusal === null) return null;
    reply(outgoing, refusal);
    return "withheld";
  },
  "unprocessed keys": async ({ operation, body, outgoing, forward }) => {
    const part = requestPart(operation, body);
    if (part === null) return null;
    reply(outgoing, part.complete(await forward(part.body)));
    return "forwarded";
  },
  "reset before": async ({ outgoing }) => {
    reset(outgoing);
    return "withheld";
  },
  "reset after": async ({ body, outgoing, forward }) => {
    await forward(body);
    reset(outgoing);
    return "forwarded";
  },
  "reset, then late": async ({ body, outgoing, forward }) => {
    reset(outgoing);
    await setTimeout(LATE_MS);
    await forward(body);
    return "forwarded";
  },
  "truncated response": async ({ body, outgoing, forward }) => {
    const response = await forward(body);
    outgoing.writeHead(response.status, { ...response.headers, "content-length": response.body.length });
    outgoing.write(response.body.subarray(0, response.body.length / 2), () => outgoing.destroy());
    return "forwarded";
  },
  "silence before": async () => "withheld",
  "silence after": async ({ body, forward }) => {
    await forward(body);
    return "forwarded";
  },
};
