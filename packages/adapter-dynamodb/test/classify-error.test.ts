import {
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { classifyError, type Failure } from "../src/classify-error.ts";

const at = (httpStatusCode: number) => ({ $metadata: { httpStatusCode }, message: "" });
const named = (name: string, httpStatusCode = 400) =>
  new DynamoDBServiceException({ ...at(httpStatusCode), name, $fault: "client" });
const canceled = (...codes: string[]) =>
  new TransactionCanceledException({ ...at(400), CancellationReasons: codes.map((Code) => ({ Code })) });

test.for<readonly [Failure["code"], string, unknown]>([
  ["contended", "another transaction", canceled("None", "TransactionConflict")],
  ["contended", "several transactions", canceled("TransactionConflict", "None", "TransactionConflict")],
  [
    "throttled",
    "another transaction and a hot partition",
    canceled("TransactionConflict", "ThrottlingError"),
  ],
  ["throttled", "a hot partition", canceled("ThrottlingError", "ProvisionedThroughputExceeded")],
  ["contended", "a single write during a transaction", named("TransactionConflictException")],
  ["throttled", "too many requests for the table", new ProvisionedThroughputExceededException(at(400))],
  ["throttled", "too many requests for the AWS account", named("RequestLimitExceeded")],
  ["throttled", "throttling", named("ThrottlingException")],
  ["permanent", "an invalid write", canceled("None", "ValidationError")],
  [
    "permanent",
    "an invalid write and another transaction",
    canceled("ValidationError", "TransactionConflict"),
  ],
  ["permanent", "a cancellation without reasons", canceled()],
  ["permanent", "no table", new ResourceNotFoundException(at(400))],
  ["permanent", "no permission", named("AccessDeniedException")],
  ["unclear", "an attempt in progress", new TransactionInProgressException({ ...at(400), Message: "" })],
  ["unclear", "an internal error of DynamoDB", new InternalServerError(at(500))],
  ["unclear", "an unavailable service", named("ServiceUnavailable", 503)],
  ["unclear", "a response that is not JSON", new SyntaxError("Unexpected end of JSON input")],
  ["unclear", "a lost connection", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })],
  ["unclear", "a thrown value that is not an error", "what?"],
])("%s: %s", ([code, , error]) => {
  expect(classifyError(error)).toEqual({ code });
});

test("an unmet condition is a refusal that names its position, whatever else happened", () => {
  const error = canceled("None", "ConditionalCheckFailed", "TransactionConflict");
  expect(classifyError(error)).toEqual({ code: "refused", refused: [false, true, false] });
});
