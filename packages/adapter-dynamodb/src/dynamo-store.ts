import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Clock, Store } from "@postern/core";
import { err, ok } from "neverthrow";
import { accountsOf } from "./accounts.ts";
import { dynamoAliases } from "./aliases.ts";
import type { Database } from "./database.ts";
import { dynamoRecipients } from "./recipients.ts";
import { deadline, persist, UNAVAILABLE } from "./send-until-deadline.ts";
import { Key } from "./table.ts";

export type DynamoStoreOptions = {
  /** As `dynamoClient` makes it: one that does not send requests again by itself. The store takes it over. */
  readonly client: DynamoDBClient;
  /** The name of a table as `createTable` makes it. */
  readonly table: string;
  /** For how long events are remembered, which is measured by this clock. */
  readonly clock: Pick<Clock, "now">;
  /**
   * Told of each item met that cannot be understood: damaged, or written by a newer version. Whatever needed it was
   * `unavailable`. Keys hold ids, never an address. Must not throw.
   */
  readonly onCorruptItem: (key: Key) => void;
  /** How long a call may take, in milliseconds: 2000 unless told. */
  readonly patience?: number;
};

const PING_PATIENCE = 1_000;

/**
 * The store on DynamoDB, for any number of processes on one table. Every call ends within
 * `patience`, a ping within a second: `unavailable` where DynamoDB did not answer clearly in that time.
 */
export const dynamoStore = ({
  client,
  table,
  clock,
  onCorruptItem,
  patience = 2_000,
}: DynamoStoreOptions): Store & { close(): void } => {
  const documents = DynamoDBDocumentClient.from(client, {
    // A number beyond what JavaScript can hold is for the item's schema to refuse, not for the SDK to throw about.
    unmarshallOptions: { wrapNumbers: Number },
  });
  const database: Database = { documents, table, onCorruptItem, patience };
  return {
    aliases: dynamoAliases(database, () => clock.now()),
    recipients: dynamoRecipients(database),
    accounts: (page) => accountsOf(database, page),
    ping: async () => {
      const command = new GetCommand({ TableName: table, Key: { ...Key.nothing } });
      const answer = await persist(deadline({ patience: PING_PATIENCE }), (options) =>
        documents.send(command, options),
      );
      return answer.isOk() ? ok() : err(UNAVAILABLE);
    },
    close: () => client.destroy(),
  };
};
