import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { deadline, sendUntilDeadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";
import { type TableError, tableError } from "./table-error.ts";

const TIMEOUT_MS = 4_000;

/** A condition that no item meets, so that requests with it are refused. DynamoDB first checks whether the credentials allow the action. */
const NEVER = "attribute_exists(pk) AND attribute_not_exists(pk)";

/** One request for each action that a store uses. None changes anything. */
const requests = (client: DynamoDBClient, TableName: string) => {
  const item = { pk: { S: Key.probe.pk }, sk: { S: Key.probe.sk } };
  const refused = { TableName, ConditionExpression: NEVER };
  const query = {
    TableName,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": item.pk },
    Limit: 1,
  };
  type Options = { readonly abortSignal: AbortSignal };
  return [
    (options: Options) => client.send(new GetItemCommand({ TableName, Key: item }), options),
    (options: Options) =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [item] } } }), options),
    (options: Options) => client.send(new QueryCommand(query), options),
    (options: Options) => client.send(new PutItemCommand({ ...refused, Item: item }), options),
    (options: Options) => client.send(new UpdateItemCommand({ ...refused, Key: item }), options),
    (options: Options) => client.send(new DeleteItemCommand({ ...refused, Key: item }), options),
  ];
};

/**
 * Finds out whether a store could read and write the table: sends one request for each of the actions that it uses. Requests
 * that would write have a condition that no item meets, so that DynamoDB refuses them after it has checked everything else.
 * Resolves within 5 seconds. Changes nothing.
 *
 * @returns why actions fail, one error for each; empty if none does
 * @example
 * ```ts
 * const errors = await checkAccess(dynamoClient({ region: "eu-central-1" }), "postern");
 * for (const { permission } of errors) console.error(permission); // dynamodb:PutItem
 * ```
 */
export const checkAccess = async (client: DynamoDBClient, table: string): Promise<readonly TableError[]> => {
  const signal = deadline(TIMEOUT_MS);
  const failures = requests(client, table).map(async (send) => {
    let failure: unknown = new DOMException("no response", "TimeoutError");
    const sent = await sendUntilDeadline<unknown>(signal, async (options) => {
      try {
        return await send(options);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return;
        failure = error;
        throw error;
      }
    });
    return sent.isOk() ? null : tableError(client, failure);
  });
  return (await Promise.all(failures)).filter((failure) => failure !== null);
};
