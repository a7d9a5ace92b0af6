import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";

/** A request sent to DynamoDB, and its cost. */
type Metered = {
  readonly operation: string;
  /** Read request units as counted by DynamoDB. Meaningless for transactions: DynamoDB Local always counts 2. */
  readonly units: number;
  /** The sort keys of the items that a transaction writes: each costs 2 write request units per KB. */
  readonly written: readonly string[];
};

export type Meter = {
  readonly endpoint: string;
  /** The requests since the previous call. */
  read(): readonly Metered[];
  close(): Promise<void>;
};

const Write = z.object({
  Put: z.object({ Item: z.object({ sk: z.object({ S: z.string() }) }) }).optional(),
  Update: z.object({ Key: z.object({ sk: z.object({ S: z.string() }) }) }).optional(),
  Delete: z.object({ Key: z.object({ sk: z.object({ S: z.string() }) }) }).optional(),
});
const Body = z.looseObject({ TransactItems: z.array(Write).default([]) });

const Capacity = z.object({ CapacityUnits: z.number() });
const Output = z.object({ ConsumedCapacity: z.union([Capacity, z.array(Capacity)]).default([]) });

/** A proxy in front of DynamoDB that forwards every request and records its cost as seen on the wire. */
export const startMeter = async (target: string): Promise<Meter> => {
  let metered: Metered[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { "x-amz-target": operation = "", authorization = "" } = request.headers;
    const forwarded = await fetch(target, {
      method: "POST",
      headers: {
        "x-amz-target": String(operation),
        authorization,
        "content-type": "application/x-amz-json-1.0",
      },
      body: JSON.stringify({ ...JSON.parse(sent), ReturnConsumedCapacity: "TOTAL" }),
    });
    const received = await forwarded.text();
    const capacity = [Output.parse(JSON.parse(received)).ConsumedCapacity].flat();
    metered.push({
      operation: String(operation).split(".").at(-1) ?? "",
      units: capacity.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0),
      written: Body.parse(JSON.parse(sent)).TransactItems.map(
        ({ Put, Update, Delete }) => (Put?.Item ?? Update?.Key ?? Delete?.Key)?.sk.S ?? "",
      ),
    });
    response.writeHead(forwarded.status, { "content-type": "application/x-amz-json-1.0" }).end(received);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    read: () => {
      const since = metered;
      metered = [];
      return since;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
