import type { Unauthorized } from "../authentication/authorizer.ts";
import { type ApiResponse, jsonResponse } from "../responses/response.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { pathOf } from "../syntax/path-of.ts";
import type { Failure } from "./failure.ts";
import { problem } from "./problem.ts";

/** As an API gateway in front of the service writes it, so that clients see the same from both. */
const UNAUTHORIZED = jsonResponse(401, { message: "Unauthorized" }, { "www-authenticate": "Bearer" });

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

/** The response that reports a failure: a problem document, except for 401. */
export const failureResponse = (
  failure: Failure | Unauthorized,
  { method, url }: { readonly method: string; readonly url: string },
): ApiResponse => {
  if (failure.code === "unauthorized") return { ...UNAUTHORIZED, failure };
  const document = problem(failure, pathOf(url));
  const type = { "content-type": "application/problem+json; charset=utf-8" };
  return { ...jsonResponse(document.status, document, { ...type, ...headers(failure, method) }), failure };
};
