import type { FastifyReply } from "fastify";
import { z } from "zod";
import { PATCH_TYPES } from "../requests/json-body.ts";
import type { Failure, ProblemCode } from "./failure.ts";
import { detail } from "./problem-detail.ts";

/** The only place that knows the HTTP status of a failure. */
export const PROBLEMS = {
  malformed_json: { status: 400, title: "Malformed JSON" },
  invalid_request: { status: 400, title: "Invalid request" },
  link_invalid: { status: 400, title: "Invalid link" },
  alias_not_found: { status: 404, title: "Alias not found" },
  recipient_not_found: { status: 404, title: "Recipient not found" },
  route_not_found: { status: 404, title: "Route not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  request_timeout: { status: 408, title: "Request timeout" },
  alias_deleted: { status: 409, title: "Alias deleted" },
  address_taken: { status: 409, title: "Address taken" },
  recipient_attached: { status: 409, title: "Recipient attached" },
  precondition_failed: { status: 412, title: "Precondition failed" },
  payload_too_large: { status: 413, title: "Payload too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  recipients_ineligible: { status: 422, title: "Recipients ineligible" },
  address_not_allowed: { status: 422, title: "Address not allowed" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "Headers too large" },
  internal_error: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "Unavailable" },
} as const satisfies Record<ProblemCode, { status: number; title: string }>;

const InvalidField = z.strictObject({
  pointer: z.string().optional().describe("JSON pointer (RFC 6901) into the request body"),
  parameter: z.string().optional().describe("Name of the path or query parameter, or of the header"),
  reason: z.string(),
});

/** RFC 9457, with the members this service adds to it. */
export const Problem = z.strictObject({
  type: z.string().describe("`urn:postern:problem:` and the code"),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string().describe("What is wrong and what to do about it"),
  instance: z.string().describe("The path of the request"),
  code: z.string().describe("Stable: match on it"),
  errors: z.array(InvalidField).optional(),
  recipients: z
    .array(z.strictObject({ id: z.string(), reason: z.enum(["unknown", "unverified", "inactive"]) }))
    .optional()
    .describe("Each ineligible recipient, in the order listed"),
  aliases: z.int().nonnegative().optional().describe("How many aliases forward to the recipient"),
  alias_ids: z.array(z.string()).optional().describe("Up to ten of these"),
});
export type Problem = z.output<typeof Problem>;

/** A JSON pointer (RFC 6901) to what lies at `path`. */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const members = (failure: Failure): Partial<Problem> => {
  switch (failure.code) {
    case "invalid_request":
      return {
        errors:
          "errors" in failure
            ? [...failure.errors]
            : failure.issues.map(({ path, reason }) => ({ pointer: pointerTo(path), reason })),
      };
    case "recipients_ineligible":
      return { recipients: [...failure.recipients] };
    case "recipient_attached":
      return { aliases: failure.aliases, alias_ids: [...failure.first] };
    default:
      return {};
  }
};

/** The problem document of a failure. `path` is that of the request, without its query. */
export const problem = (failure: Failure, path: string): Problem => {
  const { status, title } = PROBLEMS[failure.code];
  const { code } = failure;
  const type = `urn:postern:problem:${code}`;
  return { type, title, status, detail: detail(failure), instance: path, code, ...members(failure) };
};

/** The request's path without its query, which may hold a verification token. */
export const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? "";

export const sendProblem = (reply: FastifyReply, failure: Failure): FastifyReply => {
  const document = problem(failure, pathOf(reply.request.url));
  if (failure.code === "method_not_allowed") reply.header("allow", failure.allow.join(", "));
  if (failure.code === "unavailable") reply.header("retry-after", "1");
  if (failure.code === "rate_limited") {
    reply.header("retry-after", String(Math.ceil(failure.retryAfter / 1000)));
  }
  if (failure.code === "unsupported_media_type" && reply.request.method === "PATCH") {
    reply.header("accept-patch", PATCH_TYPES.join(", "));
  }
  reply.code(document.status).header("content-type", "application/problem+json");
  return reply.send(JSON.stringify(document));
};
