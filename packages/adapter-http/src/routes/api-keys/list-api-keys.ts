import { object, reference } from "../../openapi/schema.ts";
import { API_KEY, apiKeyJson } from "../../responses/api-key-json.ts";
import { operationRoute } from "../route.ts";

export const listApiKeysRoute = operationRoute({
  method: "GET",
  path: "/keys",
  operationId: "listApiKeys",
  tag: "Keys",
  summary: "List the account's keys, newest first",
  description: "All of them, expired ones too, without pages: an account has few.",
  operation: (postern) => postern.listApiKeys,
  input: {},
  success: {
    status: 200,
    description: "The keys",
    name: "ApiKeyList",
    schema: object({ keys: { type: "array", items: reference(API_KEY), description: "The keys" } }),
  },
  problems: [],
  respond: (apiKeys) => ({ body: { keys: apiKeys.map(apiKeyJson) } }),
});
