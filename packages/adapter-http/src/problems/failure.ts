import type {
  AddressNotAllowed,
  AliasSuspended,
  ApiKeyInvalid,
  DomainError,
  InvalidRequest,
  RateLimited,
  Scope,
} from "@postern/core";
import type { AccountNotAllowed } from "../authentication/authorizer.ts";

/** One invalid part of a request: `pointer` leads into its body; `parameter` names a path or query parameter or a header. */
export type InvalidField = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly reason: string;
};

/** The caller has too many concurrent requests. `retryAfter` is in milliseconds. */
export type TooManyAtOnce = RateLimited & { readonly reason: "at_once" };

/** The account has reached its limit of creations per minute. `retryAfter` is in milliseconds. */
type TooManyCreations = { readonly code: "too_many_creations"; readonly retryAfter: number };

/** The program wants an alias on another domain than these. */
type OtherDomain = AddressNotAllowed & { readonly aliasDomains: readonly string[] };

/** The program may not do this with its key. `required` is the scope that it lacks; null if no scope would do. */
type InsufficientScope = { readonly code: "insufficient_scope"; readonly required: Scope | null };

export type InvalidFields = { readonly code: "invalid_request"; readonly errors: readonly InvalidField[] };

/** What can be wrong with a request before an operation runs, and what can go wrong in the API itself. */
export type RequestError =
  | InvalidFields
  | AccountNotAllowed
  | TooManyAtOnce
  | TooManyCreations
  | InsufficientScope
  | OtherDomain
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  /** The application does not mount the API correctly. */
  | { readonly code: "misconfigured"; readonly reason: "body_already_read" | "other_base_path" }
  | {
      readonly code:
        | "malformed_json"
        | "route_not_found"
        | "request_timeout"
        | "payload_too_large"
        | "unsupported_media_type"
        | "headers_too_large"
        | "internal_error";
    };

/**
 * Everything that the API reports as a problem document. Three of core's failures are excluded: `InvalidRequest`
 * is translated into `InvalidFields`, and `ApiKeyInvalid` into `Unauthorized`; `AliasSuspended` is a result of `resolveAlias`, which has no
 * route.
 */
export type Failure = Exclude<DomainError, InvalidRequest | ApiKeyInvalid | AliasSuspended> | RequestError;

export type ProblemCode = Failure["code"];
