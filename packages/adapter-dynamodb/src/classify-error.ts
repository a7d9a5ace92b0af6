import { DynamoDBServiceException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";

/** What an error says about the request that met it. */
export type Failure =
  /** Conditions of a transaction did not hold: nothing was applied. `refused[i]` is about item i. */
  | { readonly code: "refused"; readonly refused: readonly boolean[] }
  /** Nothing was applied, and it may work in a moment: another transaction was in the way, or there were too many requests. */
  | { readonly code: "contended" }
  /** No answer that can be relied on: it may have been applied or not, or still be. */
  | { readonly code: "unclear" }
  /** It will not work: no such table, no permission, not a valid request. */
  | { readonly code: "hopeless" };

const CONTENTION: ReadonlySet<string | undefined> = new Set([
  "TransactionConflict",
  "TransactionConflictException",
  "ProvisionedThroughputExceeded",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingError",
  "ThrottlingException",
]);

const cancelled = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): Failure => {
  const refused = reasons.map(({ Code }) => Code === "ConditionalCheckFailed");
  if (refused.includes(true)) return { code: "refused", refused };
  const obstacles = reasons.filter(({ Code }) => Code !== "None");
  const passing = obstacles.length > 0 && obstacles.every(({ Code }) => CONTENTION.has(Code));
  return { code: passing ? "contended" : "hopeless" };
};

/** The one place that knows what DynamoDB's errors mean. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof TransactionCanceledException) return cancelled(error);
  if (!(error instanceof DynamoDBServiceException)) return { code: "unclear" };
  if (CONTENTION.has(error.name)) return { code: "contended" };
  // An earlier attempt at this very transaction is still under way.
  if (error.name === "TransactionInProgressException") return { code: "unclear" };
  return { code: (error.$metadata.httpStatusCode ?? 500) >= 500 ? "unclear" : "hopeless" };
};
