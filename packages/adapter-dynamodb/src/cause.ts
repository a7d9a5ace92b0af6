import { DynamoDBServiceException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { Cause, Unavailable } from "@postern/core";
import { ZodError } from "zod";

const because = (reason: string): Cause => ({ source: "dynamodb", reason });

/** The form of error names of AWS and Node. Anything else could be text from an item. */
const NAME = /^[A-Za-z][A-Za-z0-9_.]{0,63}$/;

const isName = (text: unknown): text is string => typeof text === "string" && NAME.test(text);

/**
 * The name of the error that the SDK threw: AWS's name for a DynamoDB error, with the codes of a canceled transaction,
 * and the system's code for a network error. Never a message, which can quote keys.
 */
export const nameOf = (thrown: unknown): string => {
  if (thrown instanceof TransactionCanceledException) {
    const codes = (thrown.CancellationReasons ?? []).map(({ Code }) => Code).filter(isName);
    const reasons = [...new Set(codes)].filter((code) => code !== "None");
    return reasons.length === 0 ? thrown.name : `${thrown.name}: ${reasons.join(", ")}`;
  }
  if (thrown instanceof SyntaxError || thrown instanceof ZodError) return "a response that is not DynamoDB's";
  if (!(thrown instanceof Error)) return `a thrown ${typeof thrown}`;
  // Before the name, because the SDK also calls lost connections "TimeoutError".
  if (!(thrown instanceof DynamoDBServiceException) && "code" in thrown && isName(thrown.code))
    return thrown.code;
  if (thrown.name === "TimeoutError") return "ETIMEDOUT";
  return isName(thrown.name) ? thrown.name : "an error without a name";
};

export const unavailable = (reason: string): Unavailable => ({ code: "unavailable", cause: because(reason) });

/** The table has an item that is damaged, or of a newer version. `onCorruptItem` receives its key. */
export const CORRUPT_ITEM = unavailable("an item does not parse");
