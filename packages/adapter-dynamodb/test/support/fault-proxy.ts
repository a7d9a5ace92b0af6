import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Fault, reply, strike } from "./fault-proxy-faults.ts";
import type { ProxyResponse } from "./fault-proxy-responses.ts";

/** The fault for the next request, of this operation (such as `TransactWriteItems`); null lets it pass. */
export type Plan = (operation: string) => Fault | null;

type Passage = {
  readonly operation: string;
  /** The fault that the request met; null if it passed, including when the planned fault did not apply to it. */
  readonly fault: Fault | null;
  /** Whether DynamoDB received it, or a part of it. */
  readonly forwarded: boolean;
};

export type FaultProxy = {
  /** The endpoint for the SDK. */
  readonly endpoint: string;
  /** Every request so far, in the order in which they were completed. */
  readonly passages: readonly Passage[];
  /** Sets the plan from now on. Initially everything passes. */
  follow(plan: Plan): void;
  /** Waits until every request is completed, late ones included. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * A proxy between the AWS SDK and DynamoDB at `target`, on a free loopback port. `alter` can change the body of every
 * request that is forwarded.
 */
export const faultProxy = async (
  target: string,
  alter = (body: Buffer, _operation: string): Buffer => body,
): Promise<FaultProxy> => {
  // One connection per request: DynamoDB might close an idle one just as it is reused, which would be an unplanned
  // fault.
  const agent = new Agent({ keepAlive: false });
  const passages: Passage[] = [];
  const inProgress = new Set<Promise<void>>();
  let plan: Plan = () => null;

  const send = async (incoming: IncomingMessage, body: Buffer): Promise<ProxyResponse> => {
    const headers = { ...incoming.headers, "content-length": String(body.length) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(target, { method: "POST", agent, headers })
        .on("response", resolve)
        .on("error", reject)
        .end(body);
    });
    return { status: response.statusCode ?? 502, headers: response.headers, body: await buffer(response) };
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers["x-amz-target"]).replace(/^.*\./, "");
    const body = alter(await buffer(incoming), operation);
    const forward = (altered: Buffer) => send(incoming, altered);
    const fault = plan(operation);
    const struck = fault === null ? null : await strike[fault]({ operation, body, outgoing, forward });
    if (struck === null) reply(outgoing, await forward(body));
    passages.push({ operation, fault: struck === null ? null : fault, forwarded: struck !== "withheld" });
  };

  const server = createServer((incoming, outgoing) => {
    // The client disconnected, or DynamoDB is gone: either way there is no response to send.
    const handled = handle(incoming, outgoing).catch(() => void outgoing.destroy());
    inProgress.add(handled);
    void handled.finally(() => inProgress.delete(handled));
  });
  // For the same reason the proxy never closes an idle connection of the SDK.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    passages,
    follow: (next) => {
      plan = next;
    },
    settled: async () => {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all(inProgress);
      agent.destroy();
    },
  };
};
