import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Result, Unavailable } from "@postern/core";
import type { Database } from "./database.ts";
import { TIMEOUT_MS } from "./differences/question.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

/** Declares that all aliases of the table have their search items. They keep them, because every write changes both. */
export const declareSearchable = async (database: Database): Promise<Result<void, Unavailable>> => {
  const { documents, table } = database;
  const command = new PutCommand({ TableName: table, Item: { ...Key.searchable, schema: SCHEMA } });
  const put = await readUntilDeadline(deadline(TIMEOUT_MS), (options) => documents.send(command, options));
  return put.map(() => undefined);
};
