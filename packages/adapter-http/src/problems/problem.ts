import type { AliasId, IneligibleRecipient, Scope } from "@postern/core";
import type { Failure, InvalidField, ProblemCode } from "./failure.ts";
import { detail } from "./problem-detail.ts";

/** The only place that knows the HTTP status of a failure. */
export const PROBLEMS = {
  malformed_json: { status: 400, title: "Malformed JSON" },
  invalid_request: { status: 400, title: "Invalid request" },
  link_invalid: { status: 400, title: "Invalid link" },
  account_not_allowed: { status: 403, title: "Account not allowed" },
  account_suspended: { status: 403, title: "Account suspended" },
  too_many_aliases: { status: 403, title: "Too many aliases" },
  too_many_recipients: { status: 403, title: "Too many recipients" },
  too_many_unverified_recipients: { status: 403, title: "Too many unverified recipients" },
  too_many_contacts: { status: 403, title: "Too many contacts" },
  too_many_blocked_senders: { status: 403, title: "Too many blocked senders" },
  too_many_webhooks: { status: 403, title: "Too many webhooks" },
  too_many_api_keys: { status: 403, title: "Too many keys" },
  api_keys_disabled: { status: 403, title: "Keys disabled" },
  insufficient_scope: { status: 403, title: "Insufficient scope" },
  webhooks_disabled: { status: 403, title: "Webhooks disabled" },
  mailbox_suppressed: { status: 403, title: "Mailbox suppressed" },
  alias_not_found: { status: 404, title: "Alias not found" },
  recipient_not_found: { status: 404, title: "Recipient not found" },
  contact_not_found: { status: 404, title: "Contact not found" },
  message_not_found: { status: 404, title: "Message not found" },
  webhook_not_found: { status: 404, title: "Webhook not found" },
  route_not_found: { status: 404, title: "Route not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  request_timeout: { status: 408, title: "Request timeout" },
  alias_deleted: { status: 409, title: "Alias deleted" },
  alias_inactive: { status: 409, title: "Alias inactive" },
  message_not_kept: { status: 409, title: "Message not kept" },
  address_taken: { status: 409, title: "Address taken" },
  recipient_attached: { status: 409, title: "Recipient attached" },
  precondition_failed: { status: 412, title: "Precondition failed" },
  payload_too_large: { status: 413, title: "Payload too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  recipients_ineligible: { status: 422, title: "Recipients ineligible" },
  address_not_allowed: { status: 422, title: "Address not allowed" },
  no_default_recipient: { status: 422, title: "No default recipient" },
  idempotency_key_reused: { status: 422, title: "Idempotency key reused" },
  too_many_creations: { status: 429, title: "Too many creations" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "Headers too large" },
  internal_error: { status: 500, title: "Internal error" },
  misconfigured: { status: 500, title: "Misconfigured" },
  unavailable: { status: 503, title: "Unavailable" },
} as const satisfies Record<ProblemCode, { status: number; title: string }>;

// `PROBLEMS` has exactly these keys: it satisfies the type of a record of all codes.
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** A problem document (RFC 9457), with the members that this API adds. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly errors?: readonly InvalidField[];
  readonly recipients?: readonly IneligibleRecipient[];
  readonly alias_count?: number;
  readonly alias_ids?: readonly AliasId[];
  readonly limit?: number;
  readonly required_scope?: Scope | null;
};

const members = (failure: Failure): Partial<Problem> => {
  switch (failure.code) {
    case "invalid_request":
      return { errors: failure.errors };
    case "recipients_ineligible":
      return { recipients: failure.recipients };
    case "recipient_attached":
      return { alias_count: failure.attached, alias_ids: failure.aliasIds };
    case "too_many_aliases":
    case "too_many_recipients":
    case "too_many_unverified_recipients":
    case "too_many_contacts":
    case "too_many_blocked_senders":
    case "too_many_webhooks":
    case "too_many_api_keys":
      return { limit: failure.limit };
    case "insufficient_scope":
      return { required_scope: failure.required };
    default:
      return {};
  }
};

/** The problem document of a failure. `path` is the path of the request, without its query. */
export const problem = (failure: Failure, path: string): Problem => {
  const { code } = failure;
  const { status, title } = PROBLEMS[code];
  const type = `urn:postern:problem:${code}`;
  return { type, title, status, detail: detail(failure), instance: path, code, ...members(failure) };
};
