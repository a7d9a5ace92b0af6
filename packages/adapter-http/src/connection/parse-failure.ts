import type { Socket } from "node:net";
import type { Failure } from "../problems/failure.ts";
import type { WriteFailure } from "../problems/failure-response.ts";
import { invalidField } from "../problems/invalid-field.ts";
import { writeRaw } from "./raw-response.ts";

const FAILURES: Record<string, Failure> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: "request_timeout" },
  HPE_HEADER_OVERFLOW: { code: "headers_too_large" },
};

export const NOT_HTTP = invalidField({ parameter: "" }, "must be an HTTP request");

/** Responds to input that Node could not read as a request. */
export const parseFailureResponder =
  (writeFailure: WriteFailure) =>
  (error: Error & { readonly code: string }, socket: Socket): void => {
    // The connection is gone, or a response has been sent already.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) socket.destroy();
    else writeRaw(socket, writeFailure(FAILURES[error.code] ?? NOT_HTTP, { method: "", url: "" }));
  };
