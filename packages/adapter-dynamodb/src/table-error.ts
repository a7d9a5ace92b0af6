import { type DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { nameOf } from "./cause.ts";

/** DynamoDB refused the request or could not be reached. */
export type TableError = {
  readonly code: "table_error";
  /** The name of DynamoDB's error, such as ResourceNotFoundException; otherwise the code of the system error, such as ECONNREFUSED. */
  readonly reason: string;
  /** Whether `reason` is from DynamoDB's response. */
  readonly responded: boolean;
  /** The permission that is missing, such as `dynamodb:GetItem`; null if that is not the reason. */
  readonly permission: string | null;
  /** The region that the request was for; null if none is configured. */
  readonly region: string | null;
};

/** What the SDK threw, without its message, which can quote the request; only the name of a permission is taken from the message. */
export const tableError = async (client: DynamoDBClient, error: unknown): Promise<TableError> => {
  const region = await client.config.region().catch(() => null);
  const [permission = null] =
    error instanceof DynamoDBServiceException ? (/\bdynamodb:[A-Za-z]+/.exec(error.message) ?? []) : [];
  return {
    code: "table_error",
    reason: region === null ? "no region" : nameOf(error),
    responded: error instanceof DynamoDBServiceException,
    permission,
    region,
  };
};
