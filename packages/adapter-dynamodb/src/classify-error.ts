import { DynamoDBServiceException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** What an error says about the request that caused it. */
export type Failure =
  /** Conditions of a transaction did not hold, and nothing was applied. `refused[i]` concerns item i. */
  | { readonly code: "refused"; readonly refused: readonly boolean[] }
  /** Nothing was applied, and a retry may succeed: another transaction was in progress, or requests were throttled. */
  | { readonly code: "contended" }
  /** No reliable response: the request may have been applied or not, or may still be. */
  | { readonly code: "unclear" }
  /** A retry cannot succeed: no such table, no permission, an invalid request. */
  | { readonly code: "permanent" };

const CONTENTION: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "TransactionConflictException",
  "ProvisionedThroughputExceeded",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingError",
  "ThrottlingException",
]);

const canceled = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): Failure => {
  const refused = reasons.map(({ Code }) => Code === "ConditionalCheckFailed");
  if (refused.includes(true)) return { code: "refused", refused };
  const obstacles = reasons.filter(({ Code }) => Code !== "None");
  const transient = obstacles.length > 0 && obstacles.every(({ Code }) => CONTENTION.has(Code));
  return { code: transient ? "contended" : "permanent" };
};

/** The only place that interprets DynamoDB's errors. */
export const classifyError = (error: unknown): Failure => {
  if (error instanceof TransactionCanceledException) return canceled(error);
  if (!(error instanceof DynamoDBServiceException)) return { code: "unclear" };
  if (CONTENTION.has(error.name)) return { code: "contended" };
  // An earlier attempt at the same transaction is still in progress.
  if (error.name === "TransactionInProgressException") return { code: "unclear" };
  return { code: (error.$metadata.httpStatusCode ?? 500) >= 500 ? "unclear" : "permanent" };
};
