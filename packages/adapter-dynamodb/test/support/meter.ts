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
  /**
   * What AWS charges by its published rules, which DynamoDB Local does not know: 1 read unit for an item that does not exist, and 2 write
   * units for each item that a transaction writes, if it has at most 1 KB.
   */
  readonly charged: { readonly read: number; readonly write: number };
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
const Keys = z.record(z.string(), z.object({ Keys: z.array(z.unknown()) }));
const Body = z.looseObject({ TransactItems: z.array(Write).default([]), RequestItems: Keys.default({}) });

const Capacity = z.object({ CapacityUnits: z.number() });
const Output = z.object({
  ConsumedCapacity: z.union([Capacity, z.array(Capacity)]).default([]),
  Responses: z.record(z.string(), z.array(z.unknown())).catch({}),
});

const READS = ["BatchGetItem", "Query", "GetItem"];

const chargedFor = (
  operation: string,
  units: number,
  { RequestItems, TransactItems }: z.output<typeof Body>,
  { Responses }: z.output<typeof Output>,
): Metered["charged"] => {
  const requested = Object.values(RequestItems).flatMap(({ Keys }) => Keys);
  const missing = requested.length - Object.values(Responses).flat().length;
  if (READS.includes(operation)) return { read: units + missing, write: 0 };
  return { read: 0, write: TransactItems.length > 0 ? 2 * TransactItems.length : units };
};

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
    const input = Body.parse(JSON.parse(sent));
    const output = Output.parse(JSON.parse(received));
    const name = String(operation).split(".").at(-1) ?? "";
    const units = [output.ConsumedCapacity].flat().reduce((sum, each) => sum + each.CapacityUnits, 0);
    metered.push({
      operation: name,
      units,
      written: input.TransactItems.map(
        ({ Put, Update, Delete }) => (Put?.Item ?? Update?.Key ?? Delete?.Key)?.sk.S ?? "",
      ),
      charged: chargedFor(name, units, input, output),
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
