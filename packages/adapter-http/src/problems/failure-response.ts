import type { Unauthorized } from "../authentication/authorizer.ts";
import type { TokenRefusal } from "../authentication/token-refusal.ts";
import { type ApiResponse, jsonResponse } from "../responses/response.ts";
import { PATCH_TYPES } from "../syntax/media-types.ts";
import { pathOf } from "../syntax/path-of.ts";
import type { Failure, InvalidField } from "./failure.ts";
import { type Problem, problem } from "./problem.ts";

const BEARER = { "www-authenticate": "Bearer" };

/** As an API gateway in front of the service writes it, so that clients see the same from both. */
const UNAUTHORIZED = jsonResponse(401, { message: "Unauthorized" }, BEARER);

const PROBLEM = { "content-type": "application/problem+json; charset=utf-8" };

const headers = (failure: Failure | Unauthorized, method: string): ApiResponse["headers"] => {
  switch (failure.code) {
    case "unauthorized":
      return BEARER;
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
  return {
    ...jsonResponse(document.status, document, { ...PROBLEM, ...headers(failure, method) }),
    failure,
  };
};

const WRONG_KEY =
  "This key is wrong or was revoked. Check that it is pasted whole, or create another one in Postern.";

const REFUSED_KEY: { readonly [Reason in TokenRefusal]?: string } = {
  missing: "This needs a key, and only one. Create it in Postern, and paste it whole.",
  api_key_expired: "This key has expired. Create another one in Postern, and paste it whole.",
};

/** Unlike `UNAUTHORIZED`, it says what to do. */
const refusedKey = ({ reason = "api_key" }: Unauthorized, instance: string) => ({
  type: "urn:postern:problem:unauthorized",
  title: "Unauthorized",
  status: 401,
  detail: REFUSED_KEY[reason] ?? WRONG_KEY,
  instance,
  code: "unauthorized",
});

/** What is wrong, for people who see nothing else. */
const wordsFor = (detail: string, errors: readonly InvalidField[] = []): string => {
  const wrong = errors.map(({ pointer = "", parameter = pointer.slice(1), reason }) =>
    parameter === "" ? `it ${reason}` : `${parameter} ${reason}`,
  );
  return wrong.length === 0 ? detail : `The request is not valid: ${wrong.join("; ")}.`;
};

/**
 * A problem document, also for 401, with what is wrong in the members `error` and `message` too: programs that were made for other services
 * show one of these to people, or both as "error: message", and nothing else.
 */
export const failureInWords: WriteFailure = (failure, { method, url }) => {
  const path = pathOf(url);
  const document: Omit<Problem, "code"> =
    failure.code === "unauthorized" ? refusedKey(failure, path) : problem(failure, path);
  return {
    ...jsonResponse(
      document.status,
      { ...document, error: document.title, message: wordsFor(document.detail, document.errors) },
      { ...PROBLEM, ...headers(failure, method) },
    ),
    failure,
  };
};
