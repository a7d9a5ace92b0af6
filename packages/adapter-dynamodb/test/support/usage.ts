import { DeleteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type Item, scan } from "./items.ts";

const USAGE = "usage#";

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
