import { DynamoDBServiceException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** What an error says about the request that caused it. */
export type Failure =
  /** Conditions of a transaction did not hold, and nothing was applied. `refused[i]` concerns item i. */
  | { readonly code: "refused"; readonly refused: readonly boolean[] }
  /** Nothing was applied, because another transaction was in progress on an item, which takes a few milliseconds. */
  | { readonly code: "contended" }
  /** Nothing was applied, because there were too many requests. */
  | { readonly code: "throttled" }
  /** No reliable response: the request may or may not have been applied, or may still be. */
  | { readonly code: "unclear" }
  /** A retry cannot succeed: no such table, no permission, an invalid request. */
  | { readonly code: "permanent" };

const CONFLICTS: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "TransactionConflictException",
]);

const THROTTLING: ReadonlySet<string | undefined> = new Set([
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
  const transient = obstacles.every(({ Code }) => CONFLICTS.has(Code) || THROTTLING.has(Code));
  if (obstacles.length === 0 || !transient) return { code: "permanent" };
  return { code: obstacles.every(({ Code }) => CONFLICTS.has(Code)) ? "contended" : "throttled" };
};

/** The only place that interprets DynamoDB's errors. */
export const classifyError = (error: unknown): Failure => {
  if (error instanceof TransactionCanceledException) return canceled(error);
  if (!(error instanceof DynamoDBServiceException)) return { code: "unclear" };
  if (CONFLICTS.has(error.name)) return { code: "contended" };
  if (THROTTLING.has(error.name)) return { code: "throttled" };
  // An earlier attempt at the same transaction is still in progress.
  if (error.name === "TransactionInProgressException") return { code: "unclear" };
  return { code: (error.$metadata.httpStatusCode ?? 500) >= 500 ? "unclear" : "permanent" };
};
