import { DescribeTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Clock, PortResult, Store } from "@postern/core";
import type { FindDifferences } from "@postern/core/store";
import { accountsOf } from "./accounts.ts";
import { dynamoAliases } from "./aliases.ts";
import { dynamoApiKeys } from "./api-keys.ts";
import { dynamoBlockedSenders } from "./blocked-senders.ts";
import { dynamoContacts } from "./contacts.ts";
import { dynamoCreations } from "./creations.ts";
import type { Database } from "./database.ts";
import { findDifferences } from "./differences/find-differences.ts";
import { dynamoHandedReports } from "./handed-reports.ts";
import { dynamoMailLedger } from "./mail-ledger.ts";
import { dynamoMessageLog } from "./message-log.ts";
import { dynamoOutbox } from "./outbox.ts";
import { dynamoRecipients } from "./recipients.ts";
import { dynamoResends } from "./resends.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { dynamoSuspensions } from "./suspensions.ts";
import { Key } from "./table.ts";
import { dynamoWebhooks } from "./webhooks.ts";

export type DynamoStoreOptions = {
  /** Must not retry by itself: use `dynamoClient`. The store owns it, and `close` destroys it. */
  readonly client: DynamoDBClient;
  /** The name of a table with the shape that `createTable` gives it. */
  readonly table: string;
  /** Determines how long events are remembered. */
  readonly clock: Pick<Clock, "now">;
  /**
   * Called for every corrupt item that is read: damaged, or written by a newer version. The call that needed it returns
   * `unavailable`. Keys contain ids, never an address; `pk` can contain the account id. Must not throw.
   */
  readonly onCorruptItem: (key: Key) => void;
  /** The time limit of every call except `ping`, in milliseconds; defaults to 2,000. */
  readonly timeoutMs?: number | undefined;
};

export type DynamoStore = Store & {
  /**
   * Compares the data that the table holds in two places, while any number of servers are running. Scans the table. Each of
   * its requests has 30 seconds, whatever `timeoutMs` is.
   */
  readonly differences: FindDifferences;
  /**
   * How many items the table has, according to DynamoDB's estimate, which is updated about every six hours and may lack
   * recent changes. Events, counts and addresses are items too. Needs the permission to describe the table.
   */
  estimateItems(): PortResult<number>;
  close(): void;
};

const DEFAULT_TIMEOUT_MS = 2_000;
const PING_TIMEOUT_MS = 1_000;

/**
 * A store on DynamoDB, for any number of processes that share one table. Every call ends within `timeoutMs`, a ping
 * within a second; the result is `unavailable` if DynamoDB gave no clear response by then.
 *
 * @example
 * ```ts
 * const store = dynamoStore({
 *   client: dynamoClient({ region: "eu-central-1" }),
 *   table: "postern",
 *   clock: Date,
 *   onCorruptItem: (key) => console.error("corrupt item", key),
 * });
 * ```
 */
export const dynamoStore = ({
  client,
  table,
  clock,
  onCorruptItem,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: DynamoStoreOptions): DynamoStore => {
  const documents = DynamoDBDocumentClient.from(client, {
    // The SDK would throw on a number too large for JavaScript; parsing the item reports it as corrupt instead.
    unmarshallOptions: { wrapNumbers: Number },
  });
  const database: Database = { documents, table, onCorruptItem, timeoutMs };
  return {
    aliases: dynamoAliases(database, () => clock.now()),
    recipients: dynamoRecipients(database),
    contacts: dynamoContacts(database),
    blockedSenders: dynamoBlockedSenders(database),
    messageLog: dynamoMessageLog(database),
    resends: dynamoResends(database),
    handedReports: dynamoHandedReports(database),
    webhooks: dynamoWebhooks(database),
    apiKeys: dynamoApiKeys(database),
    creations: dynamoCreations(database),
    outbox: dynamoOutbox(database),
    mailLedger: dynamoMailLedger(database),
    suspensions: dynamoSuspensions(database),
    accounts: (page) => accountsOf(database, page),
    ping: async () => {
      const signal = deadline(PING_TIMEOUT_MS);
      const [read, written] = await Promise.all([
        readUntilDeadline(signal, (options) =>
          documents.send(new GetCommand({ TableName: table, Key: { ...Key.probe } }), options),
        ),
        readUntilDeadline(signal, (options) =>
          documents.send(new PutCommand({ TableName: table, Item: { ...Key.probe } }), options),
        ),
      ]);
      return read.andThen(() => written).map(() => undefined);
    },
    differences: findDifferences(database, () => clock.now()),
    estimateItems: async () => {
      const described = await readUntilDeadline(deadline(timeoutMs), (options) =>
        client.send(new DescribeTableCommand({ TableName: table }), options),
      );
      return described.map(({ Table }) => Table?.ItemCount ?? 0);
    },
    close: () => client.destroy(),
  };
};
