import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import * as z from "zod";
import { addTallyItems } from "./add-tally-items.ts";
import type { AliasKey } from "./address-item.ts";
import { TALLIES_APART } from "./alias-item.ts";
import { changeAll, unlessRefused } from "./change-all.ts";
import { type DynamoLocation, dynamoClient } from "./client.ts";
import { completeAttachments } from "./complete-attachments.ts";
import { completeItems } from "./complete-items.ts";
import { type Database, read, transact } from "./database.ts";
import { declareSearchable } from "./declare-searchable.ts";
import { StoredItem } from "./item.ts";
import { readTable } from "./read-table.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { Key, Partition } from "./table.ts";
import type { TableError } from "./table-error.ts";
import { deleteTallies } from "./tally-item.ts";

/** What a migration has done so far. */
export type Migrated = {
  /** How many aliases were given tally items. */
  readonly aliases: number;
  /** How many aliases had their tally items deleted, because servers without tally items had erased them. */
  readonly erased: number;
  /** How many aliases were not listed for all of their recipients. */
  readonly listed: number;
  /** How many aliases lacked some of the items by which searches find them. */
  readonly searchable: number;
};

/** How many items one request examines. */
const MAX_EXAMINED = 1_000;

/** For each request, with its retries. */
const TIMEOUT_MS = 30_000;

/** For each attempt at a request. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The maximum number of aliases whose existence one request checks. */
const MAX_KEYS = 100;

const ScanOutput = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: StoredItem.optional() });

/**
 * From `start` on, the keys of aliases without tally items, of the first tally item of every other alias, of recipients, of attachments,
 * and of search items.
 */
const scan = async ({ documents, table }: Database, start: Key | undefined) => {
  const command = new ScanCommand({
    TableName: table,
    ProjectionExpression: "pk, sk",
    FilterExpression:
      "begins_with(pk, :account) AND ((begins_with(sk, :alias) AND attribute_not_exists(#apart)) OR (begins_with(sk, :tally) AND contains(sk, :first)) OR begins_with(sk, :recipient) OR begins_with(sk, :attachment) OR begins_with(sk, :search))",
    ExpressionAttributeNames: { "#apart": TALLIES_APART },
    ExpressionAttributeValues: {
      ":account": Partition.prefix,
      ":alias": Partition.aliases,
      ":tally": Partition.tallies,
      ":first": Partition.firstTally,
      ":recipient": Partition.recipients,
      ":attachment": Partition.attachments,
      ":search": Partition.search,
    },
    ExclusiveStartKey: start && { pk: start.pk, sk: start.sk },
    Limit: MAX_EXAMINED,
    ConsistentRead: true,
  });
  return readUntilDeadline(deadline(TIMEOUT_MS), async (options) =>
    ScanOutput.parse(await documents.send(command, options)),
  );
};

/** The aliases that do not exist. */
const missing = async (
  database: Database,
  aliases: readonly AliasKey[],
): Promise<Result<readonly AliasKey[], Unavailable>> => {
  const found: AliasKey[] = [];
  for (let n = 0; n < aliases.length; n += MAX_KEYS) {
    const batch = aliases.slice(n, n + MAX_KEYS);
    const keys = batch.map(({ account, id }) => Key.alias(account, id));
    const items = await read(database, keys, deadline(TIMEOUT_MS));
    if (items.isErr()) return err(items.error);
    found.push(...batch.filter((_, i) => items.value[i] === undefined));
  }
  return ok(found);
};

/** Refused if the alias exists. */
const deleteOrphans = (database: Database, alias: AliasKey) =>
  transact(
    database,
    [
      {
        ConditionCheck: {
          TableName: database.table,
          Key: { ...Key.alias(alias.account, alias.id) },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      ...deleteTallies(database.table, alias),
    ],
    deadline(TIMEOUT_MS),
  );

/**
 * Converts the items of older versions to the form that this version writes. Servers can keep running: each alias changes
 * in one transaction, and no count is lost. Safe to interrupt and repeat: what has been done is not done again.
 *
 * Run it once no server of an older version is left: aliases that such servers create or erase need it again.
 *
 * @param onProgress called after each page of the table
 * @example
 * ```ts
 * const migrated = await migrateTable({ region: "eu-central-1" }, "postern", console.log);
 * if (migrated.isErr()) throw new Error(`migrate again: ${migrated.error.code}`);
 * ```
 */
export const migrateTable = async (
  location: DynamoLocation,
  table: string,
  onProgress: (migrated: Migrated) => void = () => {},
): Promise<Result<Migrated, TableError | Unavailable>> => {
  const client = dynamoClient(location, REQUEST_TIMEOUT_MS);
  try {
    const readable = await readTable(client, table);
    if (readable.isErr()) return err(readable.error);
    const documents = DynamoDBDocumentClient.from(client);
    const database: Database = { documents, table, timeoutMs: TIMEOUT_MS, onCorruptItem: () => {} };
    let migrated: Migrated = { aliases: 0, erased: 0, listed: 0, searchable: 0 };
    let [start, last]: [Key | undefined, AccountId | null] = [undefined, null];
    do {
      const page = await scan(database, start);
      if (page.isErr()) return err(page.error);
      const keys = page.value.Items;
      const places = (prefix: string) =>
        keys.filter(({ sk }) => sk.startsWith(prefix)).flatMap((key) => Partition.alias(key) ?? []);
      const added = await changeAll(places(Partition.aliases), async (alias) =>
        unlessRefused(await addTallyItems(database, alias, deadline(TIMEOUT_MS))),
      );
      if (added.isErr()) return err(added.error);
      const orphans = await missing(database, places(Partition.tallies));
      if (orphans.isErr()) return err(orphans.error);
      const deleted = await changeAll(orphans.value, async (alias) =>
        unlessRefused(await deleteOrphans(database, alias)),
      );
      if (deleted.isErr()) return err(deleted.error);
      let [listed, searchable] = [0, 0];
      for (const key of keys) {
        const account = Partition.account(key);
        // A scan returns the items of a partition consecutively.
        if (account.isErr() || account.value === last) continue;
        last = account.value;
        const completed = await completeAttachments(database, last);
        if (completed.isErr()) return err(completed.error);
        listed += completed.value;
        const indexed = await completeItems(database, last, "search");
        if (indexed.isErr()) return err(indexed.error);
        searchable += indexed.value;
      }
      migrated = {
        aliases: migrated.aliases + added.value,
        erased: migrated.erased + deleted.value,
        listed: migrated.listed + listed,
        searchable: migrated.searchable + searchable,
      };
      onProgress(migrated);
      start = page.value.LastEvaluatedKey;
    } while (start !== undefined);
    const declared = await declareSearchable(database);
    return declared.map(() => migrated);
  } finally {
    client.destroy();
  }
};
