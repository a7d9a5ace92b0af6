import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";

/** Where DynamoDB Local is. It accepts any credentials. */
export const dynamoLocation = (endpoint: string) => ({
  endpoint,
  region: "eu-central-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});

/** Postern's store on a table of DynamoDB Local. */
export const newDynamoStore = (endpoint: string, table: string) =>
  dynamoStore({
    client: dynamoClient(dynamoLocation(endpoint)),
    table,
    clock: Date,
    onCorruptItem: ({ pk, sk }) => {
      throw new Error(`the item at ${pk} ${sk} is damaged`);
    },
    timeoutMs: 30_000,
  });
