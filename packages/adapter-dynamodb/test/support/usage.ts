import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";

const Item = z.looseObject({ pk: z.string(), sk: z.string() });
type Item = z.output<typeof Item>;

const USAGE = "usage#";

/** Every item in the table, read directly instead of through the store. */
export const scan = async (documents: DynamoDBDocumentClient, table: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const page of paginateScan({ client: documents }, { TableName: table, ConsistentRead: true })) {
    items.push(...z.array(Item).parse(page.Items ?? []));
  }
  return items;
};

const Counts = z.object({ total: z.number(), unverified: z.number() });
type Counts = z.output<typeof Counts>;

/** What an account has, and what its items count; null if they count nothing. */
type Usage = { readonly actual: Counts; readonly counted: Counts | null };

/** What the only account in the table has, and what its items count. */
export const usageIn = (items: readonly Item[]): { readonly aliases: Usage; readonly recipients: Usage } => {
  const of = (kind: string, prefix: string): Usage => {
    const found = items.filter(({ sk }) => sk.startsWith(prefix));
    return {
      actual: {
        total: found.length,
        unverified: found.filter(({ verifiedAt }) => verifiedAt === null).length,
      },
      counted: Counts.safeParse(items.find(({ sk }) => sk === USAGE + kind)).data ?? null,
    };
  };
  return { aliases: of("aliases", "alias#"), recipients: of("recipients", "recipient#") };
};

/** Deletes all counts, as if the table were from before there were limits. */
export const forgetUsage = async (documents: DynamoDBDocumentClient, table: string): Promise<void> => {
  for (const { pk, sk } of await scan(documents, table)) {
    if (sk.startsWith(USAGE)) await documents.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
  }
};

/** Stores items unchanged, directly instead of through the store. */
export const putAll = async (
  documents: DynamoDBDocumentClient,
  table: string,
  items: readonly object[],
): Promise<void> => {
  for (let n = 0; n < items.length; n += 25) {
    const requests = items.slice(n, n + 25).map((item) => ({ PutRequest: { Item: { ...item } } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
  }
};
