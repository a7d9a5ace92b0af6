import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Answer } from "./fault-proxy-answers.ts";
import { type Fault, reply, strike } from "./fault-proxy-faults.ts";

/** What happens to the next request, of this operation (`TransactWriteItems`); null lets it pass. */
export type Plan = (operation: string) => Fault | null;

type Passage = {
  readonly operation: string;
  /** The fault that the request met; null where it passed, also because the planned fault is not for such a request. */
  readonly fault: Fault | null;
  /** Whether DynamoDB got it, or a part of it. */
  readonly forwarded: boolean;
};

export type FaultProxy = {
  /** Where the SDK is to send its requests. */
  readonly endpoint: string;
  /** Every request so far, in the order in which they were dealt with. */
  readonly passages: readonly Passage[];
  /** From now on; at first everything passes. */
  follow(plan: Plan): void;
  /** Waits until every request is dealt with, late ones too. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Stands between the AWS SDK and DynamoDB at `target`, on a loopback port that the system chooses. Of each request
 * DynamoDB gets what `alter` makes of its body.
 */
export const faultProxy = async (
  target: string,
  alter = (body: Buffer, _operation: string): Buffer => body,
): Promise<FaultProxy> => {
  // A connection for each request: one kept open may be closed by DynamoDB just when it is used, which nobody planned.
  const agent = new Agent({ keepAlive: false });
  const passages: Passage[] = [];
  const underWay = new Set<Promise<void>>();
  let plan: Plan = () => null;

  const ask = async (incoming: IncomingMessage, body: Buffer): Promise<Answer> => {
    const headers = { ...incoming.headers, "content-length": String(body.length) };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(target, { method: "POST", agent, headers })
        .on("response", resolve)
        .on("error", reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
  };

  const deal = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers["x-amz-target"]).replace(/^.*\./, "");
    const body = alter(await buffer(incoming), operation);
    const forward = (sent: Buffer) => ask(incoming, sent);
    const fault = plan(operation);
    const struck = fault === null ? null : await strike[fault]({ operation, body, outgoing, forward });
    if (struck === null) reply(outgoing, await forward(body));
    passages.push({ operation, fault: struck === null ? null : fault, forwarded: struck !== "kept back" });
  };

  const server = createServer((incoming, outgoing) => {
    // A client that left, or a DynamoDB that is gone: either way there is nobody to answer.
    const dealt = deal(incoming, outgoing).catch(() => void outgoing.destroy());
    underWay.add(dealt);
    void dealt.finally(() => underWay.delete(dealt));
  });
  // For the same reason this end closes none that the SDK keeps open.
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
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all(underWay);
      agent.destroy();
    },
  };
};
