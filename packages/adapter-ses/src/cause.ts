import type { Cause } from "@postern/core";

export const because = (reason: string): Cause => ({ source: "ses", reason });

/** The form of error names of AWS and Node. Anything else could be text that repeats an address. */
const NAME = /^[A-Za-z][A-Za-z0-9_.]{0,63}$/;

const isName = (text: unknown): text is string => typeof text === "string" && NAME.test(text);

/** Whether no connection was established in time: unlike a lost connection, it has no code. */
export const isConnectTimeout = (thrown: Error): boolean =>
  thrown.name === "TimeoutError" && !("code" in thrown);

/** Whether a service of AWS has responded with this error: only those say whose fault it is. */
const isResponse = (thrown: Error): boolean => "$fault" in thrown;

/**
 * The name of the error that the SDK threw: AWS's name for an error of the service, such as `MessageRejected`, and the system's code for a network
 * error. Never a message: that of `MessageRejected` repeats addresses.
 */
export const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof SyntaxError) return "a response that is not AWS's";
  if (!(thrown instanceof Error)) return `a thrown ${typeof thrown}`;
  // Before the name, because the SDK also calls lost connections "TimeoutError".
  if (!isResponse(thrown) && "code" in thrown && isName(thrown.code)) return thrown.code;
  if (isConnectTimeout(thrown)) return "connect: ETIMEDOUT";
  return isName(thrown.name) ? thrown.name : "an error without a name";
};
