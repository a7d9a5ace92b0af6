import { AliasId, RecipientId } from "@postern/core";
import { expect, test } from "vitest";
import type { Failure } from "../src/problems/failure.ts";
import { Problem, problem } from "../src/problems/problem.ts";

const id = RecipientId.parse("recipient-1");

const TABLE: readonly [Failure, number, object?][] = [
  [{ code: "malformed_json" }, 400],
  [
    { code: "invalid_request", errors: [{ parameter: "limit", reason: "must be a number" }] },
    400,
    { errors: [{ parameter: "limit", reason: "must be a number" }] },
  ],
  [
    { code: "invalid_request", issues: [{ path: ["a/b", "0"], reason: "is required" }] },
    400,
    { errors: [{ pointer: "/a~1b/0", reason: "is required" }] },
  ],
  [{ code: "link_invalid" }, 400],
  [{ code: "alias_not_found" }, 404],
  [{ code: "recipient_not_found" }, 404],
  [{ code: "route_not_found" }, 404],
  [{ code: "method_not_allowed", allow: ["GET", "PUT"] }, 405],
  [{ code: "request_timeout" }, 408],
  [{ code: "alias_deleted" }, 409],
  [{ code: "address_taken" }, 409],
  [
    { code: "recipient_attached", aliases: 2, first: [AliasId.parse("alias-1")] },
    409,
    { aliases: 2, alias_ids: ["alias-1"] },
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
  [{ code: "rate_limited", retryAfter: 1 }, 429],
  [{ code: "headers_too_large" }, 431],
  [{ code: "internal_error" }, 500],
  [{ code: "unavailable" }, 503],
];

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
  expect(Problem.parse(document)).toEqual(document);
});

test("each reason for an address not being allowed is told in words of its own", () => {
  const told = (["not_an_alias_domain", "reserved", "is_an_alias_domain"] as const).map(
    (reason) => problem({ code: "address_not_allowed", reason }, "").detail,
  );
  expect(new Set(told).size).toBe(3);
});
