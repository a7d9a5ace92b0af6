import type { OPERATIONS } from "./generated/operations.ts";
import { parseJson } from "./json.ts";
import type { Failure, OperationId, Problem, Success } from "./operations.ts";
import { unauthorized, unreachable } from "./problems.ts";

export type Row = (typeof OPERATIONS)[OperationId];

export type Outcome = Success<unknown> | Failure<Problem>;

/** In seconds. Proxies may send a date instead (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers): number | null => {
  const header = headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
};

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Its code says which members it has: the tests of the API compare each answer with the document.
const isProblem = (status: number, value: unknown): value is Problem =>
  isObject(value) && "status" in value && value.status === status && "code" in value && "detail" in value;

/**
 * Reads what was answered.
 *
 * @throws whatever `fetch` throws if the connection is lost
 */
export const readAnswer = async (row: Row, response: Response): Promise<Outcome> => {
  const { status, headers, type } = response;
  const requestId = headers.get("x-request-id");
  const retryAfter = retryAfterOf(headers);
  const failed = (problem: Problem): Outcome => ({ ok: false, problem, requestId, retryAfter });

  // Browsers tell nothing about a redirect; elsewhere it is visible.
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    return failed(unreachable("redirect", status || null));
  const body = parseJson(await response.text());
  if (status === 401)
    return failed(unauthorized(undefined, isProblem(status, body) ? body.detail : undefined));
  if (status !== row.status) {
    return failed(response.ok || !isProblem(status, body) ? unreachable("not_the_api", status) : body);
  }
  if (status === 204) return { ok: true, data: undefined, etag: null, requestId };
  // Proxies that compress an answer make its tag weak, and a weak one never matches.
  const etag = row.hasEtag ? (headers.get("etag")?.replace(/^W\//, "") ?? undefined) : null;
  if (isObject(body) && etag !== undefined) return { ok: true, data: body, etag, requestId };
  const isCut = body === undefined && /json/.test(headers.get("content-type") ?? "");
  return failed(unreachable(isCut ? "network" : "not_the_api", status));
};
