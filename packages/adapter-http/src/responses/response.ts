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

/** A response whose body may be long: in parts, which are written one after the other, as the client reads them. */
export type LongResponse = Omit<ApiResponse, "body"> & { readonly body: readonly Buffer[] };

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

/** @param parts of the JSON text; no response has an empty list of them */
export const longJsonResponse = (status: number, parts: readonly Buffer[]): LongResponse => ({
  status,
  headers: { ...JSON_TYPE, "content-length": String(parts.reduce((sum, { length }) => sum + length, 0)) },
  body: parts,
});

export const emptyResponse = (status: number): ApiResponse => ({ status, headers: {}, body: null });
