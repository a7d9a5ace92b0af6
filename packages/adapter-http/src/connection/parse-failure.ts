import type { Socket } from "node:net";
import type { RequestError } from "../problems/failure.ts";
import { answerRawProblem } from "./raw-response.ts";

const failures: Record<string, RequestError> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: "request_timeout" },
  HPE_HEADER_OVERFLOW: { code: "headers_too_large" },
};

const notHttp: RequestError = {
  code: "invalid_request",
  errors: [{ parameter: "", reason: "must be an HTTP request" }],
};

/** Answers what Node could not read as a request at all, and so had nobody to hand to. */
export const answerClientError = (error: Error & { readonly code: string }, socket: Socket): void => {
  // A connection that is gone, or had an answer already, is only to be let go.
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) socket.destroy();
  else answerRawProblem(socket, failures[error.code] ?? notHttp);
};
