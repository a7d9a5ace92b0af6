import type { NonEmpty } from "@postern/core";
import {
  count,
  type NamedSchema,
  nullable,
  object,
  openEnum,
  reference,
  type Schema,
} from "../openapi/schema.ts";
import { SCOPE } from "../responses/api-key-json.ts";
import type { ProblemCode } from "./failure.ts";
import { problem } from "./problem.ts";
import { EXAMPLES } from "./problem-examples.ts";

const INVALID_FIELD: NamedSchema = {
  name: "InvalidField",
  schema: {
    ...object(
      {
        pointer: {
          type: "string",
          description: "JSON pointer (RFC 6901) into the request body",
          examples: ["/color"],
        },
        parameter: {
          type: "string",
          description: "Name of the path or query parameter or of the header",
          examples: ["limit"],
        },
        reason: { type: "string", description: "What is wrong with it", examples: ["is not known"] },
      },
      { optional: ["pointer", "parameter"] },
    ),
    description: "An invalid part of a request: `pointer` or `parameter` says which",
    examples: [{ pointer: "/color", reason: "is not known" }],
  },
};

const INELIGIBILITY: NamedSchema = {
  name: "Ineligibility",
  schema: {
    type: "string",
    enum: ["unknown", "unverified", "inactive"],
    description: "Why a recipient cannot be attached to an alias",
  },
};

const INELIGIBLE_RECIPIENT: NamedSchema = {
  name: "IneligibleRecipient",
  schema: {
    ...object({
      id: {
        type: "string",
        description: "The id as it was sent",
        examples: ["019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a"],
      },
      reason: openEnum(INELIGIBILITY, { description: "Why it cannot be attached" }),
    }),
    description: "A recipient that cannot be attached to an alias",
  },
};

/** What all problem documents have (RFC 9457). */
const PROBLEM: NamedSchema = {
  name: "Problem",
  schema: {
    ...object({
      type: {
        type: "string",
        format: "uri",
        description: "`urn:postern:problem:` followed by the code",
        examples: ["urn:postern:problem:alias_not_found"],
      },
      title: { type: "string", description: "The code in words", examples: ["Alias not found"] },
      status: {
        type: "integer",
        format: "int32",
        minimum: 400,
        maximum: 599,
        description: "That of the response",
        examples: [404],
      },
      detail: {
        type: "string",
        description: "What is wrong and what to do about it, for people to read",
        examples: ["The account has no alias with this id."],
      },
      instance: {
        type: "string",
        description: "The path of the request",
        examples: ["/v1/aliases/019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"],
      },
      code: { type: "string", description: "Stable: match on it", examples: ["alias_not_found"] },
    }),
    description: "A problem document (RFC 9457). More codes and members may be added",
  },
};

const LIMIT = { limit: count("How many of them there may be", 200) };

/** The members that the problems with these codes have besides. */
const MEMBERS: { readonly [Code in ProblemCode]?: { readonly [name: string]: Schema } } = {
  invalid_request: {
    errors: {
      type: "array",
      items: reference(INVALID_FIELD),
      minItems: 1,
      maxItems: 20,
      description: "What is wrong in the request",
    },
  },
  recipients_ineligible: {
    recipients: {
      type: "array",
      items: reference(INELIGIBLE_RECIPIENT),
      minItems: 1,
      description: "Every ineligible recipient, in the order listed",
    },
  },
  recipient_attached: {
    alias_count: count("How many aliases the recipient is attached to"),
    alias_ids: {
      type: "array",
      items: { type: "string" },
      maxItems: 10,
      description: "Up to ten of these aliases",
      examples: [["019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"]],
    },
  },
  too_many_aliases: LIMIT,
  too_many_recipients: LIMIT,
  too_many_unverified_recipients: LIMIT,
  too_many_contacts: LIMIT,
  too_many_blocked_senders: LIMIT,
  too_many_webhooks: LIMIT,
  too_many_api_keys: LIMIT,
  insufficient_scope: {
    required_scope: nullable(
      openEnum(SCOPE, { description: "The scope that the key lacks; null if no scope would do" }),
    ),
  },
};

/** The problem document with this code, by which it is named: it always has what belongs to the code. */
const problemSchema = (code: ProblemCode): Schema => {
  const example = problem(EXAMPLES[code], "/v1/aliases");
  const own = object({ code: { type: "string", const: code }, ...MEMBERS[code] });
  return reference({
    name: code,
    schema: { allOf: [reference(PROBLEM), own], description: example.title, examples: [example] },
  });
};

/** A problem document with one of these codes. */
export const problemWith = ([code, ...others]: NonEmpty<ProblemCode>): Schema =>
  others.length === 0
    ? problemSchema(code)
    : { oneOf: [code, ...others].map(problemSchema), discriminator: { propertyName: "code" } };
