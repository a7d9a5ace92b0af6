import type { DomainError } from "@postern/core";

/** What is wrong with one part of a request: `pointer` leads into its body, `parameter` names another part. */
export type InvalidField = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly reason: string;
};

/** What a request can do wrong before the domain sees it, and what the service itself can. */
export type RequestError =
  | { readonly code: "invalid_request"; readonly errors: readonly InvalidField[] }
  | { readonly code: "rate_limited"; readonly retryAfter: number; readonly of: "requests" }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
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

/** Everything that the API answers with a problem document. */
export type Failure = DomainError | RequestError;
export type ProblemCode = Failure["code"];
