import type { Result } from "@postern/core";
import type { Unauthorized } from "../authentication/authorizer.ts";
import type { Failure } from "../problems/failure.ts";

/** A response without the headers that all responses share. */
export type ApiResponse = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** What the response reports, for the observer; absent if it reports no failure. */
  readonly failure?: Failure | Unauthorized;
};

/** A response with a long body: its parts are rendered and written one after the other, as the client reads them. */
export type LongResponse = Omit<ApiResponse, "body"> & { readonly body: Iterable<string | Uint8Array> };

/** What a request leads to: a response, or a failure for `send` to turn into one. */
export type Outcome = Result<ApiResponse | LongResponse, Failure | Unauthorized>;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: ApiResponse["headers"] = {},
): ApiResponse => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});

/**
 * A response with JSON that may be long, in one or more parts. If there are several, they are rendered twice, first to
 * determine the length: that costs 0.4 ms for 1 MB, but text that waits for the client would have to be stored, and copied
 * by the garbage collector.
 */
export const jsonInParts = (status: number, parts: readonly (() => string)[]): ApiResponse | LongResponse => {
  const [only, ...others] = parts;
  if (others.length === 0) return { status, headers: JSON_TYPE, body: only?.() ?? null };
  const length = parts.reduce((sum, render) => sum + Buffer.byteLength(render()), 0);
  const texts = function* () {
    for (const render of parts) yield render();
  };
  return { status, headers: { ...JSON_TYPE, "content-length": String(length) }, body: texts() };
};

export const emptyResponse = (status: number): ApiResponse => ({ status, headers: {}, body: null });
