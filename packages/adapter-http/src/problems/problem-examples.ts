import { parseAccountId, parseAliasId, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Failure, ProblemCode } from "./failure.ts";

const account = valueOf(parseAccountId("ada"));
const aliasId = valueOf(parseAliasId("019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"));
const recipientId = valueOf(parseRecipientId("019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a"));

/** A failure of each kind, which the document shows. */
export const EXAMPLES: Readonly<Record<ProblemCode, Failure>> = {
  malformed_json: { code: "malformed_json" },
  invalid_request: { code: "invalid_request", errors: [{ pointer: "/color", reason: "is not known" }] },
  link_invalid: { code: "link_invalid" },
  account_not_allowed: { code: "account_not_allowed" },
  account_suspended: { code: "account_suspended" },
  too_many_aliases: { code: "too_many_aliases", limit: 10_000 },
  too_many_recipients: { code: "too_many_recipients", limit: 200 },
  too_many_unverified_recipients: { code: "too_many_unverified_recipients", limit: 20 },
  too_many_contacts: { code: "too_many_contacts", limit: 10_000 },
  too_many_blocked_senders: { code: "too_many_blocked_senders", limit: 1_000 },
  too_many_webhooks: { code: "too_many_webhooks", limit: 5 },
  too_many_api_keys: { code: "too_many_api_keys", limit: 20 },
  api_keys_disabled: { code: "api_keys_disabled" },
  insufficient_scope: { code: "insufficient_scope", required: "aliases:read" },
  webhooks_disabled: { code: "webhooks_disabled" },
  mailbox_suppressed: { code: "mailbox_suppressed" },
  alias_not_found: { code: "alias_not_found" },
  recipient_not_found: { code: "recipient_not_found" },
  contact_not_found: { code: "contact_not_found" },
  message_not_found: { code: "message_not_found" },
  webhook_not_found: { code: "webhook_not_found" },
  route_not_found: { code: "route_not_found" },
  method_not_allowed: { code: "method_not_allowed", allow: ["GET", "HEAD"] },
  request_timeout: { code: "request_timeout" },
  alias_deleted: { code: "alias_deleted" },
  alias_inactive: { code: "alias_inactive", account, aliasId, isOver: false },
  message_not_kept: { code: "message_not_kept" },
  address_taken: { code: "address_taken" },
  recipient_attached: { code: "recipient_attached", attached: 1, aliasIds: [aliasId] },
  precondition_failed: { code: "precondition_failed" },
  payload_too_large: { code: "payload_too_large" },
  unsupported_media_type: { code: "unsupported_media_type" },
  recipients_ineligible: {
    code: "recipients_ineligible",
    recipients: [{ id: recipientId, reason: "unverified" }],
  },
  address_not_allowed: { code: "address_not_allowed", reason: "reserved" },
  no_default_recipient: { code: "no_default_recipient" },
  idempotency_key_reused: { code: "idempotency_key_reused" },
  too_many_creations: { code: "too_many_creations", retryAfter: 30_000 },
  rate_limited: { code: "rate_limited", retryAfter: 30_000 },
  headers_too_large: { code: "headers_too_large" },
  internal_error: { code: "internal_error" },
  misconfigured: { code: "misconfigured", reason: "other_base_path" },
  unavailable: { code: "unavailable", cause: { source: "store", reason: "it did not respond" } },
};
