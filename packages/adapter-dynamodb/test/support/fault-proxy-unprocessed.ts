import * as z from "zod";
import type { ProxyResponse } from "./fault-proxy-responses.ts";

const Batch = z.looseObject({
  RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })),
});
const Output = z.looseObject({});

type Part = {
  /** Requests only every second key. */
  readonly body: Buffer;
  /** The response to that request, with the other keys added as unprocessed. */
  complete(response: ProxyResponse): ProxyResponse;
};

const everySecond = <T>(keys: readonly T[], remainder: 0 | 1): T[] =>
  keys.filter((_, i) => i % 2 === remainder);

/**
 * Makes DynamoDB process only part of a BatchGetItem, as it does when it lacks capacity. The first key is left
 * unprocessed, so the item that an adapter requests first arrives last. Null for other operations, and for a single
 * key, which DynamoDB always processes.
 */
export const requestPart = (operation: string, body: Buffer): Part | null => {
  if (operation !== "BatchGetItem") return null;
  const batch = Batch.parse(JSON.parse(body.toString()));
  const tables = Object.entries(batch.RequestItems);
  if (tables.some(([, { Keys }]) => Keys.length < 2)) return null;
  const half = (remainder: 0 | 1) =>
    Object.fromEntries(
      tables.map(([table, request]) => [table, { ...request, Keys: everySecond(request.Keys, remainder) }]),
    );
  return {
    body: Buffer.from(JSON.stringify({ ...batch, RequestItems: half(1) })),
    complete: (response) => {
      if (response.status !== 200) return response;
      const items = Output.parse(JSON.parse(response.body.toString()));
      // The checksum is that of the original response.
      const { "x-amz-crc32": _, "content-length": __, ...headers } = response.headers;
      return {
        ...response,
        headers,
        body: Buffer.from(JSON.stringify({ ...items, UnprocessedKeys: half(0) })),
      };
    },
  };
};
