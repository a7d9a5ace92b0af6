import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { ProxyResponse } from "./fault-proxy-responses.ts";

/** One request and the response that its sender waits for. */
export type Exchange = {
  /** Such as `TransactWriteItems`. */
  readonly operation: string;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  /** Sends this body to DynamoDB instead of the request's. */
  forward(body: Buffer): Promise<ProxyResponse>;
};

export type ForwardingProxy = {
  /** The endpoint for the SDK. */
  readonly endpoint: string;
  /** Waits until every request is completed, late ones included. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

export const reply = (outgoing: ServerResponse, { status, headers, body }: ProxyResponse): void => {
  outgoing.writeHead(status, { ...headers, "content-length": body.length }).end(body);
};

/** A proxy between the AWS SDK and DynamoDB at `target`, on a free loopback port. `handle` decides what happens to each request. */
export const forwardingProxy = async (
  target: string,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<ForwardingProxy> => {
  // One connection per request: DynamoDB might close an idle one just as it is reused, which would be an unplanned
  // fault.
  const agent = new Agent({ keepAlive: false });
  const inProgress = new Set<Promise<void>>();

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

  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers["x-amz-target"]).replace(/^.*\./, "");
    const body = await buffer(incoming);
    await handle({ operation, body, outgoing, forward: (altered) => send(incoming, altered) });
  };

  const server = createServer((incoming, outgoing) => {
    // The client disconnected, or DynamoDB is gone: either way there is no response to send.
    const handled = receive(incoming, outgoing).catch(() => void outgoing.destroy());
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
