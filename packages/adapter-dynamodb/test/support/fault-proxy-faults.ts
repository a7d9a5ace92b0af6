import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { type Answer, conflict, internalError, overCapacity, throttled } from "./fault-proxy-answers.ts";
import { askForPart } from "./fault-proxy-unprocessed.ts";

/** What can happen to a request on its way to DynamoDB and back. */
export const FAULTS = [
  "throttled",
  "over capacity",
  "internal error",
  /** Another transaction holds an item; only for writes. */
  "conflict",
  /** DynamoDB answers for a part of the keys; only for BatchGetItem of several. */
  "unprocessed keys",
  /** The connection breaks; DynamoDB never gets the request. */
  "reset before",
  /** DynamoDB answers; the answer is lost. */
  "reset after",
  /** The connection breaks, and DynamoDB gets the request a while later all the same. */
  "reset, then late",
  /** DynamoDB answers; the connection breaks in the middle of the answer. */
  "half an answer",
  /** DynamoDB never gets the request; the connection stays open for as long as the client likes. */
  "no answer",
  /** DynamoDB answers, but the connection is silent. */
  "no answer after",
] as const;

export type Fault = (typeof FAULTS)[number];

/** One request, and the answer that its sender waits for. */
export type Exchange = {
  readonly operation: string;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  /** Sends this body to DynamoDB in the place of the request. */
  forward(body: Buffer): Promise<Answer>;
};

/** Whether DynamoDB got the request; null where the fault is not for such a request, and nothing was done. */
type Struck = "forwarded" | "kept back" | null;

/** How late a late request is, in milliseconds: after a first repetition by the SDK, before its last. */
const LATE = 150;

export const reply = (outgoing: ServerResponse, { status, headers, body }: Answer): void => {
  outgoing.writeHead(status, { ...headers, "content-length": body.length }).end(body);
};

const reset = (outgoing: ServerResponse): void => {
  outgoing.socket?.resetAndDestroy();
};

const instead =
  (answer: Answer) =>
  async ({ outgoing }: Exchange): Promise<Struck> => {
    reply(outgoing, answer);
    return "kept back";
  };

export const strike: Readonly<Record<Fault, (exchange: Exchange) => Promise<Struck>>> = {
  throttled: instead(throttled),
  "over capacity": instead(overCapacity),
  "internal error": instead(internalError),
  conflict: async ({ operation, body, outgoing }) => {
    const refusal = conflict(operation, body);
    if (refusal === null) return null;
    reply(outgoing, refusal);
    return "kept back";
  },
  "unprocessed keys": async ({ operation, body, outgoing, forward }) => {
    const part = askForPart(operation, body);
    if (part === null) return null;
    reply(outgoing, part.complete(await forward(part.body)));
    return "forwarded";
  },
  "reset before": async ({ outgoing }) => {
    reset(outgoing);
    return "kept back";
  },
  "reset after": async ({ body, outgoing, forward }) => {
    await forward(body);
    reset(outgoing);
    return "forwarded";
  },
  "reset, then late": async ({ body, outgoing, forward }) => {
    reset(outgoing);
    await setTimeout(LATE);
    await forward(body);
    return "forwarded";
  },
  "half an answer": async ({ body, outgoing, forward }) => {
    const answer = await forward(body);
    outgoing.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => outgoing.destroy());
    return "forwarded";
  },
  "no answer": async () => "kept back",
  "no answer after": async ({ body, forward }) => {
    await forward(body);
    return "forwarded";
  },
};
