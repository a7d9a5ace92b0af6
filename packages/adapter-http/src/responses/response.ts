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

/** What a request leads to: a response, or a failure for `send` to turn into one. */
export type Outcome = Result<ApiResponse, Failure | Unauthorized>;

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: ApiResponse["headers"] = {},
): ApiResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(body),
});

export const emptyResponse = (status: number): ApiResponse => ({ status, headers: {}, body: null });
