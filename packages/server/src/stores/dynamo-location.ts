import type { DynamoLocation } from "@postern/adapter-dynamodb";
import type { StoreConfiguration } from "../configuration/configuration.ts";

/** Where DynamoDB is; what is not configured the AWS SDK finds as it does everywhere. */
export const dynamoLocation = ({
  dynamodbEndpoint: endpoint,
  awsRegion: region,
}: Pick<StoreConfiguration, "dynamodbEndpoint" | "awsRegion">): DynamoLocation => ({
  ...(endpoint !== undefined && { endpoint }),
  ...(region !== undefined && { region }),
});
