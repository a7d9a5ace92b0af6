import {
  DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { type Failure, failureOf } from "../src/classify-error.ts";

const at = (httpStatusCode: number) => ({ $metadata: { httpStatusCode }, message: "" });
const named = (name: string, httpStatusCode = 400) =>
  new DynamoDBServiceException({ ...at(httpStatusCode), name, $fault: "client" });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({ ...at(400), CancellationReasons: codes.map((Code) => ({ Code })) });

test.for<readonly [Failure["code"], string, unknown]>([
  ["contended", "another transaction", cancelled("None", "TransactionConflict")],
  ["contended", "a hot partition", cancelled("ThrottlingError", "ProvisionedThroughputExceeded")],
  ["contended", "another transaction, met by a single write", named("TransactionConflictException")],
  ["contended", "too many requests", new ProvisionedThroughputExceededException(at(400))],
  ["contended", "too many requests of the account", named("RequestLimitExceeded")],
  ["contended", "too many requests of any kind", named("ThrottlingException")],
  ["hopeless", "a bad write", cancelled("None", "ValidationError")],
  ["hopeless", "a bad write beside another transaction", cancelled("ValidationError", "TransactionConflict")],
  ["hopeless", "a cancellation without reasons", cancelled()],
  ["hopeless", "no table", new ResourceNotFoundException(at(400))],
  ["hopeless", "no permission", named("AccessDeniedException")],
  [
    "unclear",
    "an attempt that is under way",
    new TransactionInProgressException({ ...at(400), Message: "" }),
  ],
  ["unclear", "a fault of DynamoDB's", new InternalServerError(at(500))],
  ["unclear", "nobody there", named("ServiceUnavailable", 503)],
  ["unclear", "an answer that is no JSON", new SyntaxError("Unexpected end of JSON input")],
  ["unclear", "a lost connection", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })],
  ["unclear", "something that is no error at all", "what?"],
])("%s: %s", ([code, , error]) => {
  expect(failureOf(error)).toEqual({ code });
});

test("a condition that does not hold is told by its place, whatever else was in the way", () => {
  const error = cancelled("None", "ConditionalCheckFailed", "TransactionConflict");
  expect(failureOf(error)).toEqual({ code: "refused", refused: [false, true, false] });
});
