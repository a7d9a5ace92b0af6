import { atLeast, rowOf } from "../report/row.ts";
import { ratios } from "../report/statistics.ts";
import { compare, rateRow } from "../support/compare.ts";
import { BARE_DYNAMODB, POSTERN_DYNAMODB } from "../support/contenders.ts";
import type { Fixture } from "../support/fixture.ts";
import type { Path } from "../support/path.ts";
import { oneTokenEach } from "./put.ts";

const CONNECTIONS = 8;
const fixture: Fixture = { accounts: CONNECTIONS, aliases: 1, recipients: 6, attached: 3 };

export const putOnDynamodb: Path = {
  name: "put-on-dynamodb",
  about: `PUT /aliases/{id}/recipients, 3 recipients, DynamoDB Local on the same machine, known tokens, rate limit on, ${CONNECTIONS} connections`,
  run: async ({ setup, token, effort }) => {
    // Only this path needs it, and Java.
    const { startDynamoDbLocal } = await import("@postern/test-support/dynamodb-local");
    const local = await startDynamoDbLocal();
    try {
      const rounds = await compare(
        [
          { ...POSTERN_DYNAMODB, setup: { ...POSTERN_DYNAMODB.setup, database: await local.newTable() } },
          { ...BARE_DYNAMODB, setup: { database: await local.newTable() } },
        ],
        { ...setup, fixture, dynamoDbEndpoint: local.endpoint },
        oneTokenEach(token, CONNECTIONS),
        effort,
      );
      const [postern, bare] = rounds;
      const path = "PUT on DynamoDB Local";
      return {
        rows: [
          rateRow(path, postern, bare, atLeast(0.9)),
          // DynamoDB Local takes most of the time, whoever calls it; the CPU time of the server is what differs.
          rowOf(
            { path, what: `CPU per request, ${bare.name} ÷ ${postern.name}`, goal: atLeast(0.9) },
            ratios(bare.cpu, postern.cpu),
          ),
        ],
        rounds,
      };
    } finally {
      await local.stop();
    }
  },
};
