import type { Unauthorized } from "../authentication/authorizer.ts";
import type { TokenRefusal } from "../authentication/token-refusal.ts";
import { type ApiResponse, jsonResponse } from "../responses/response.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { pathOf } from "../syntax/path-of.ts";
import type { Failure } from "./failure.ts";
import { type Problem, problem } from "./problem.ts";

const BEARER = { "www-authenticate": "Bearer" };

/** As an API gateway in front of the service writes it, so that clients see the same from both. */
const UNAUTHORIZED = jsonResponse(401, { message: "Unauthorized" }, BEARER);

const headers = (failure: Failure, method: string): ApiResponse["headers"] => {
  switch (failure.code) {
    case "method_not_allowed":
      return { allow: failure.allow.join(", ") };
    case "unavailable":
      return { "retry-after": "1" };
    case "rate_limited":
    case "too_many_creations":
      return { "retry-after": String(Math.ceil(failure.retryAfter / 1000)) };
    case "unsupported_media_type":
      return method === "PATCH" ? { "accept-patch": PATCH_TYPES.join(", ") } : {};
    default:
      return {};
  }
};

/** How an API reports a failure. */
export type WriteFailure = (
  failure: Failure | Unauthorized,
  request: { readonly method: string; readonly url: string },
) => ApiResponse;

/** A problem document, except for 401. */
export const failureResponse: WriteFailure = (failure, { method, url }) => {
  if (failure.code === "unauthorized") return { ...UNAUTHORIZED, failure };
  const document = problem(failure, pathOf(url));
  return problemResponse(document, failure, method);
};

const problemResponse = (document: Problem, failure: Failure, method: string): ApiResponse => {
  const type = { "content-type": "application/problem+json; charset=utf-8" };
  return { ...jsonResponse(document.status, document, { ...type, ...headers(failure, method) }), failure };
};

const REFUSED_KEY = {
  missing: "This needs a key. Create one in Postern, and paste it whole.",
  expired: "This key has expired. Create another one in Postern, and paste it whole.",
  wrong: "This key is wrong or was revoked. Check that it is pasted whole, or create another one in Postern.",
};

const wordsFor = (reason: TokenRefusal | undefined): string =>
  REFUSED_KEY[reason === "missing" || reason === "expired" ? reason : "wrong"];

/**
 * The same, with what is wrong in the members `error` and `message` too: programs that were made for other services show one of these to
 * people, and nothing else.
 */
export const failureInWords: WriteFailure = (failure, { method, url }) => {
  if (failure.code === "unauthorized") {
    const words = wordsFor(failure.reason);
    return { ...jsonResponse(401, { error: words, message: words }, BEARER), failure };
  }
  const document = problem(failure, pathOf(url));
  const { detail: words } = document;
  return problemResponse({ ...document, error: words, message: words }, failure, method);
};
