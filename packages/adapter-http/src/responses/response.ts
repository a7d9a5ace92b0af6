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

/** A response with a long body: its parts are written one after the other, as the client reads them. */
type LongResponse = Omit<ApiResponse, "body"> & { readonly body: readonly Buffer[] };

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

/** A response with JSON that may be long, in parts. Outside of V8's heap those that wait for the client are never copied. */
export const jsonInParts = (status: number, texts: readonly string[]): ApiResponse | LongResponse => {
  const [text = "", ...others] = texts;
  if (others.length === 0) return { status, headers: JSON_TYPE, body: text };
  const body = texts.map((part) => Buffer.from(part));
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return { status, headers: { ...JSON_TYPE, "content-length": String(length) }, body };
};

export const emptyResponse = (status: number): ApiResponse => ({ status, headers: {}, body: null });
