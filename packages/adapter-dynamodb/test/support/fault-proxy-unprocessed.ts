import { z } from "zod";
import type { Answer } from "./fault-proxy-answers.ts";

const Batch = z.looseObject({
  RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })),
});
const Answered = z.looseObject({});

type Part = {
  /** Asks for every second key only. */
  readonly body: Buffer;
  /** The answer to that, with all other keys as unprocessed. */
  complete(answer: Answer): Answer;
};

const everySecond = <T>(keys: readonly T[], remainder: 0 | 1): T[] =>
  keys.filter((_, i) => i % 2 === remainder);

/**
 * A BatchGetItem cut down as DynamoDB does when it is short of capacity. The first key is among those left, so that
 * what an adapter asks for first comes last. Null for another operation or a single key, which DynamoDB never leaves.
 */
export const askForPart = (operation: string, body: Buffer): Part | null => {
  if (operation !== "BatchGetItem") return null;
  const batch = Batch.parse(JSON.parse(body.toString()));
  const tables = Object.entries(batch.RequestItems);
  if (tables.some(([, { Keys }]) => Keys.length < 2)) return null;
  const half = (remainder: 0 | 1) =>
    Object.fromEntries(
      tables.map(([table, asked]) => [table, { ...asked, Keys: everySecond(asked.Keys, remainder) }]),
    );
  return {
    body: Buffer.from(JSON.stringify({ ...batch, RequestItems: half(1) })),
    complete: (answer) => {
      if (answer.status !== 200) return answer;
      const items = Answered.parse(JSON.parse(answer.body.toString()));
      // The checksum was that of the answer as it came.
      const { "x-amz-crc32": _, "content-length": __, ...headers } = answer.headers;
      return {
        ...answer,
        headers,
        body: Buffer.from(JSON.stringify({ ...items, UnprocessedKeys: half(0) })),
      };
    },
  };
};
