import type { DynamoLocation } from "@postern/adapter-dynamodb";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** Where DynamoDB is. The AWS SDK looks up what is not configured in its usual places. */
export const dynamoLocation = ({
  dynamodbEndpoint: endpoint,
  awsRegion: region,
}: Pick<StoreConfiguration, "dynamodbEndpoint" | "awsRegion">): DynamoLocation => ({
  ...(endpoint !== undefined && { endpoint }),
  ...(region !== undefined && { region }),
});
