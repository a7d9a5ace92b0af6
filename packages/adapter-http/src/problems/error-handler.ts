import type { FastifyRequest } from "fastify";
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

/** Logs an exception that a request caused, and returns the failure to report. */
export type ReportException = (thrown: unknown, request: FastifyRequest) => Failure;

export const exceptionReporter =
  (logger: Logger | undefined): ReportException =>
  (thrown, request) => {
    const error = thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown");
    const state = request[POSTERN];
    logger?.error(
      {
        requestId: state?.id ?? request.id,
        method: request.method,
        route: state?.route?.path,
        err: traceOf(error),
      },
      "request failed",
    );
    return { code: "internal_error" };
  };
