import type { AddressNotAllowed } from "@postern/core";
import { MAX_BODY_BYTES } from "../requests/json-body.ts";
import type { Failure } from "./failure.ts";

const MISCONFIGURED = {
  body_already_read:
    "The application has already read the body. Mount the API before body parsers such as express.json().",
  other_base_path:
    "The application mounts the API at a path other than its basePath. Pass createApi the path that it is mounted at.",
};

const NOT_ALLOWED: Record<AddressNotAllowed["reason"], string> = {
  not_an_alias_domain: "The address is not on one of the service's alias domains.",
  reserved: "The name is reserved for the operators of the domain. Choose another one.",
  is_an_alias_domain:
    "The address is on one of the service's alias domains: mail to it would be forwarded in a loop.",
};

/** What is wrong and what to do about it. Repeats nothing that was sent. */
export const detail = (failure: Failure): string => {
  switch (failure.code) {
    case "malformed_json":
      return "The body is not valid JSON in UTF-8. Correct it and send it again.";
    case "invalid_request":
      return "The request is not valid. Correct what `errors` lists and send it again.";
    case "link_invalid":
      return "The link has expired, was replaced by a newer one, or was not issued by this service. Request a new one.";
    case "account_not_allowed":
      return "You are signed in, but may not have an account here. Nothing was changed. Ask the operator of this service for access, and then sign in again.";
    case "account_suspended":
      return "The operator of this service has suspended the account. Nothing was changed. Ask the operator what to do.";
    case "too_many_aliases":
      return `The account has reached its limit of ${failure.limit} aliases, deleted ones included. Restore or reuse one of them, or ask the operator to raise the limit.`;
    case "too_many_recipients":
      return `The account has reached its limit of ${failure.limit} recipients. Delete one that is no longer needed.`;
    case "too_many_unverified_recipients":
      return `The account has reached its limit of ${failure.limit} unverified recipients. Verify some of them, or delete them.`;
    case "too_many_contacts":
      return `The alias has reached its limit of ${failure.limit} contacts that were written to, added or blocked. Use another alias.`;
    case "too_many_blocked_senders":
      return `The account has reached its limit of ${failure.limit} blocked senders. Unblock one, or block a domain instead of several of its addresses.`;
    case "too_many_webhooks":
      return `The account has reached its limit of ${failure.limit} webhooks. Delete one that is no longer needed.`;
    case "too_many_api_keys":
      return `The account has reached its limit of ${failure.limit} keys. Delete one that is no longer needed.`;
    case "api_keys_disabled":
      return "Programs cannot use keys with this service. Ask the operator whether that can change.";
    case "insufficient_scope":
      return failure.required === null
        ? "No key may do this, whatever its scopes. Sign in to do it yourself."
        : `The key lacks the scope ${failure.required}. Create a key that has it.`;
    case "webhooks_disabled":
      return "This service sends no webhook events. Ask the operator whether that can change.";
    case "mailbox_suppressed":
      return "The owner of this mailbox has asked never to be sent a verification message again. Use another address.";
    case "alias_not_found":
      return "The account has no alias with this id.";
    case "recipient_not_found":
      return "The account has no recipient with this id.";
    case "contact_not_found":
      return "The alias has no contact with this id.";
    case "message_not_found":
      return "The log of the alias has no message with this id. Messages are removed from it after 30 days.";
    case "webhook_not_found":
      return "The account has no webhook with this id.";
    case "route_not_found":
      return "There is nothing at this path.";
    case "method_not_allowed":
      return `This path supports only ${failure.allow.join(", ")}.`;
    case "request_timeout":
      return "The request did not arrive completely in time. Send it again.";
    case "alias_deleted":
      return "The alias is deleted, so it cannot be changed. Restore it first.";
    case "alias_inactive":
      return "The alias is switched off, or has ended, so nothing is sent for it. Switch it on first.";
    case "message_not_kept":
      return "The message cannot be sent again: it did not fail, or its body is no longer kept. Look at its `resendable_until` first.";
    case "address_taken":
      return "The address is already in use. Choose another one.";
    case "recipient_attached":
      return "Aliases still forward to the recipient. Reassign them to another recipient first.";
    case "precondition_failed":
      return "The resource has changed since the version in If-Match. Read it again first.";
    case "payload_too_large":
      return `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`;
    case "unsupported_media_type":
      return "Send the body as application/json in UTF-8, uncompressed; a PATCH also as application/merge-patch+json.";
    case "recipients_ineligible":
      return "Every listed recipient must belong to the account, be verified and be active. Nothing was changed.";
    case "address_not_allowed":
      if ("aliasDomains" in failure) {
        return `Aliases are on these domains only: ${failure.aliasDomains.join(", ")}. Choose one of them.`;
      }
      return NOT_ALLOWED[failure.reason];
    case "no_default_recipient":
      return "The account has no recipient that is verified and active, so mail would have nowhere to go. Add one, and confirm it with the link that is sent to it.";
    case "idempotency_key_reused":
      return "The account has created something else with this Idempotency-Key in the last 24 hours. Nothing was changed. Use a new key.";
    case "too_many_creations":
      return "The account has reached its limit of creations per minute, in which test events of webhooks count too. Wait for the number of seconds in Retry-After.";
    case "rate_limited":
      if ("reason" in failure) {
        return "Too many concurrent requests from this account or address. Wait for responses before sending more.";
      }
      return "Too many requests, or too many verification messages to this mailbox or for this account. Wait for the number of seconds in Retry-After.";
    case "headers_too_large":
      return "The request line and headers are larger than 16 KiB.";
    case "internal_error":
      return "An unexpected error occurred. Try again later.";
    case "misconfigured":
      return MISCONFIGURED[failure.reason];
    case "unavailable":
      return "The service is temporarily unavailable. Send the request again.";
  }
};
