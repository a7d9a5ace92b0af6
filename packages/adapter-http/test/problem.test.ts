import { parseAccountId, parseAliasId, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import type { Failure } from "../src/problems/failure.ts";
import { pointerTo } from "../src/problems/invalid-field.ts";
import { PROBLEMS, problem } from "../src/problems/problem.ts";
import { problemWith } from "../src/problems/problem-schema.ts";
import { validatorOf } from "./support/conformance.ts";

const id = valueOf(parseRecipientId("recipient-1"));
const account = valueOf(parseAccountId("account-1"));
const aliasId = valueOf(parseAliasId("alias-1"));

const TABLE: readonly [Failure, number, object?][] = [
  [{ code: "malformed_json" }, 400],
  [
    { code: "invalid_request", errors: [{ parameter: "limit", reason: "must be a number" }] },
    400,
    { errors: [{ parameter: "limit", reason: "must be a number" }] },
  ],
  [{ code: "link_invalid" }, 400],
  [{ code: "account_not_allowed" }, 403],
  [{ code: "account_suspended" }, 403],
  [{ code: "too_many_aliases", limit: 10_000 }, 403, { limit: 10_000 }],
  [{ code: "too_many_recipients", limit: 200 }, 403, { limit: 200 }],
  [{ code: "too_many_unverified_recipients", limit: 20 }, 403, { limit: 20 }],
  [{ code: "too_many_contacts", limit: 10_000 }, 403, { limit: 10_000 }],
  [{ code: "too_many_blocked_senders", limit: 1_000 }, 403, { limit: 1_000 }],
  [{ code: "too_many_webhooks", limit: 5 }, 403, { limit: 5 }],
  [{ code: "too_many_api_keys", limit: 20 }, 403, { limit: 20 }],
  [{ code: "api_keys_disabled" }, 403],
  [{ code: "insufficient_scope", required: "aliases:read" }, 403, { required_scope: "aliases:read" }],
  [{ code: "insufficient_scope", required: null }, 403, { required_scope: null }],
  [{ code: "webhooks_disabled" }, 403],
  [{ code: "mailbox_suppressed" }, 403],
  [{ code: "alias_not_found" }, 404],
  [{ code: "recipient_not_found" }, 404],
  [{ code: "contact_not_found" }, 404],
  [{ code: "message_not_found" }, 404],
  [{ code: "webhook_not_found" }, 404],
  [{ code: "route_not_found" }, 404],
  [{ code: "method_not_allowed", allow: ["GET", "PUT"] }, 405],
  [{ code: "request_timeout" }, 408],
  [{ code: "alias_deleted" }, 409],
  [{ code: "alias_inactive", account, aliasId, isOver: false }, 409],
  [{ code: "message_not_kept" }, 409],
  [{ code: "address_taken" }, 409],
  [
    { code: "recipient_attached", attached: 2, aliasIds: [aliasId] },
    409,
    { alias_count: 2, alias_ids: ["alias-1"] },
  ],
  [{ code: "precondition_failed" }, 412],
  [{ code: "payload_too_large" }, 413],
  [{ code: "unsupported_media_type" }, 415],
  [
    { code: "recipients_ineligible", recipients: [{ id, reason: "inactive" }] },
    422,
    { recipients: [{ id, reason: "inactive" }] },
  ],
  [{ code: "address_not_allowed", reason: "is_an_alias_domain" }, 422],
  [{ code: "address_not_allowed", reason: "not_an_alias_domain" }, 422],
  [{ code: "address_not_allowed", reason: "reserved" }, 422],
  [{ code: "no_default_recipient" }, 422],
  [{ code: "idempotency_key_reused" }, 422],
  [{ code: "too_many_creations", retryAfter: 1 }, 429],
  [{ code: "rate_limited", retryAfter: 1 }, 429],
  [{ code: "rate_limited", reason: "at_once", retryAfter: 1000 }, 429],
  [{ code: "headers_too_large" }, 431],
  [{ code: "internal_error" }, 500],
  [{ code: "misconfigured", reason: "body_already_read" }, 500],
  [{ code: "misconfigured", reason: "other_base_path" }, 500],
  [{ code: "unavailable" }, 503],
];

test("the table covers every code", () => {
  expect(new Set(TABLE.map(([{ code }]) => code))).toEqual(new Set(Object.keys(PROBLEMS)));
});

test.each(TABLE)("%j is %i", (failure, status, members = {}) => {
  const document = problem(failure, "/aliases");
  expect(document).toEqual({
    type: `urn:postern:problem:${failure.code}`,
    title: expect.stringMatching(/^[A-Z]/),
    status,
    detail: expect.stringMatching(/\.$/),
    instance: "/aliases",
    code: failure.code,
    ...members,
  });
  expect(validatorOf(problemWith([failure.code]))(document)).toBe(true);
});

test.each([
  "too_many_aliases",
  "too_many_recipients",
  "too_many_unverified_recipients",
  "too_many_contacts",
  "too_many_blocked_senders",
  "too_many_webhooks",
  "too_many_api_keys",
] as const)("%s states the limit", (code) => {
  expect(problem({ code, limit: 123 }, "").detail).toContain("limit of 123 ");
});

test("has a different detail for each reason why an address is not allowed", () => {
  const details = (["not_an_alias_domain", "reserved", "is_an_alias_domain"] as const).map(
    (reason) => problem({ code: "address_not_allowed", reason }, "").detail,
  );
  expect(new Set(details).size).toBe(3);
});

test.each([
  [[], ""],
  [["recipient_ids", "1"], "/recipient_ids/1"],
  [["a/b", "~", ""], "/a~1b/~0/"],
])("the JSON pointer to %j is %j", (path, pointer) => {
  expect(pointerTo(path)).toBe(pointer);
});
