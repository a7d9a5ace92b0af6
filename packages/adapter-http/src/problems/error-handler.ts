import type { FastifyRequest } from "fastify";
import { AuthorizerFailure } from "../authentication/ask-authorizer.ts";
import type { Logger } from "../logger.ts";
import { POSTERN } from "../request-state.ts";
import type { Failure, RequestError } from "./failure.ts";

/** What Fastify found wrong with a body; null if the error has another cause. */
export const bodyFailure = (thrown: unknown): RequestError | null => {
  switch (thrown instanceof Error && "code" in thrown ? thrown.code : undefined) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { code: "payload_too_large" };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { code: "unsupported_media_type" };
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    // The client closed the connection in the middle of the body, and will not read the response.
    case "ECONNRESET":
      return { code: "malformed_json" };
    default:
      return null;
  }
};

/** Where an error occurred, without its message, which may contain request data that must not be logged. */
const traceOf = ({ name, stack = "" }: Error) => ({
  type: name,
  stack: stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n"),
});

/** The message of an error and those of its causes, such as `fetch failed: connect ECONNREFUSED 127.0.0.1:1`. */
const messageOf = (error: unknown): string => {
  const messages: string[] = [];
  let each: unknown = error;
  while (each instanceof Error && messages.length < 5) {
    // An error that groups several has no message of its own.
    messages.push(each.message || ("code" in each && String(each.code)) || each.name);
    each = each.cause;
  }
  return (messages.join(": ") || String(error)).slice(0, 1000);
};

const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown");

/** Logs an exception. The message is logged only if it comes from the application's own code. */
export const logException = (logger: Logger | undefined, thrown: unknown, about: object): void => {
  if (thrown instanceof AuthorizerFailure) {
    const err = { ...traceOf(errorOf(thrown.cause)), message: messageOf(thrown.cause) };
    logger?.error({ ...about, err }, "the authorizer failed");
  } else {
    logger?.error({ ...about, err: traceOf(errorOf(thrown)) }, "request failed");
  }
};

/** Logs an exception that a request caused, and returns the failure to report. */
export type ReportException = (thrown: unknown, request: FastifyRequest) => Failure;

export const exceptionReporter =
  (logger: Logger | undefined): ReportException =>
  (thrown, request) => {
    const state = request[POSTERN];
    const { method } = request;
    logException(logger, thrown, {
      requestId: state?.id ?? request.id,
      method,
      route: state?.route?.path,
    });
    return { code: "internal_error" };
  };
