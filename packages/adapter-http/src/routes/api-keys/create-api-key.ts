import { MAX_ACTIVE_UNTIL, MAX_API_KEY_NAME_LENGTH, MAX_DOMAIN_LENGTH } from "@postern/core";
import { DOMAIN, NON_BLANK_TEXT } from "../../openapi/patterns.ts";
import { reference } from "../../openapi/schema.ts";
import { member, required } from "../../requests/source.ts";
import { API_KEY_CREATED, apiKeyCreatedJson, SCOPE } from "../../responses/api-key-json.ts";
import { RECIPIENT_IDS } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const createApiKeyRoute = operationRoute({
  method: "POST",
  path: "/keys",
  creates: true,
  operationId: "createApiKey",
  tag: "Keys",
  summary: "Create a key for a program, such as a password manager",
  description:
    "The secret is in this response only. Programs use it at `keys_url` of `GET /service`, within its scopes. Repeating the request creates " +
    "another key.",
  operation: (postern) => postern.createApiKey,
  input: {
    name: required(
      member("name", {
        type: "string",
        minLength: 1,
        maxLength: MAX_API_KEY_NAME_LENGTH,
        pattern: NON_BLANK_TEXT,
        description: "What you call it",
        examples: ["Password manager"],
      }),
    ),
    scopes: required(
      member("scopes", {
        type: "array",
        items: reference(SCOPE),
        minItems: 1,
        uniqueItems: true,
        description: "What the program may do",
        examples: [["aliases:create"]],
      }),
    ),
    aliasDomain: member("alias_domain", {
      type: "string",
      maxLength: MAX_DOMAIN_LENGTH,
      pattern: DOMAIN,
      description:
        "The alias domain of the aliases that it creates for websites; the service's first one by default",
      examples: ["alias.example"],
    }),
    recipientIds: member("recipient_ids", {
      ...RECIPIENT_IDS,
      description:
        "The recipients of the aliases that it creates for websites; the account's default recipient by default",
    }),
    expiresAt: member("expires", {
      type: "integer",
      format: "int64",
      minimum: 0,
      maximum: MAX_ACTIVE_UNTIL,
      description: "When it stops working, in Unix epoch milliseconds, in the future; never by default",
      examples: [4_000_000_000_000],
    }),
  },
  bodyName: "CreateApiKey",
  success: { status: 201, description: "The new key", ...API_KEY_CREATED },
  problems: [
    "too_many_creations",
    "too_many_api_keys",
    "api_keys_disabled",
    "address_not_allowed",
    "recipients_ineligible",
  ],
  respond: (created) => ({ body: apiKeyCreatedJson(created) }),
});
