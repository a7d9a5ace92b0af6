import type { TableError } from "@postern/adapter-dynamodb";
import type { StoreConfiguration } from "../configuration/configuration.ts";
import { ENV } from "../configuration/names.ts";

/** What is wrong with the DynamoDB table, and what to do; a sentence without a period. */
export const explainTableError = (
  { reason, responded, permission, region }: TableError,
  {
    dynamodbTable,
    dynamodbEndpoint: endpoint,
  }: Pick<StoreConfiguration, "dynamodbTable" | "dynamodbEndpoint">,
): string => {
  if (region === null) return `No AWS region is configured: set ${ENV.awsRegion} to the region of the table`;
  const table = `The DynamoDB table ${dynamodbTable} in ${region}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
  switch (reason) {
    case "ResourceNotFoundException":
      return `${table} does not exist: create it with \`table create\`, or correct ${ENV.dynamodbTable} or ${ENV.awsRegion}`;
    case "AccessDeniedException":
      return `${table} refuses the credentials${permission === null ? "" : ` ${permission}`} (${reason}): allow what docs/dynamodb.md lists under Permissions`;
    case "ValidationException":
      return `${table} has different keys from those that Postern needs (${reason}): \`table check\` lists the differences`;
    case "CredentialsProviderError":
      return "No AWS credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role";
    case "UnrecognizedClientException":
    case "InvalidSignatureException":
    case "ExpiredTokenException":
    case "IncompleteSignatureException":
    case "MissingAuthenticationTokenException":
      return `DynamoDB does not accept the AWS credentials (${reason}): renew them, and check the clock of this machine`;
    default:
      if (responded) return `${table} cannot be used (${reason})`;
      return endpoint === undefined
        ? `DynamoDB in ${region} does not respond (${reason}): check ${ENV.awsRegion} and the network`
        : `DynamoDB at ${endpoint} does not respond (${reason}): check ${ENV.dynamodbEndpoint}, and that it runs`;
  }
};
