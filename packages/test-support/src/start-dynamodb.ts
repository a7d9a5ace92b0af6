import { startOnDemand } from "./start-on-demand.ts";

/** Starting DynamoDB Local once, and not for each file, saves a minute. */
export default startOnDemand("dynamoDb", new URL("./dynamodb-main.ts", import.meta.url));
