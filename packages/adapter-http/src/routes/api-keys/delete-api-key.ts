import { API_KEY_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const deleteApiKeyRoute = operationRoute({
  method: "DELETE",
  path: "/keys/{key_id}",
  operationId: "deleteApiKey",
  tag: "Keys",
  summary: "Revoke a key",
  description:
    "It is refused everywhere within 10 seconds. Idempotent: succeeds if the account has no key with this id.",
  operation: (postern) => postern.deleteApiKey,
  input: { apiKeyId: API_KEY_ID },
  success: { status: 204, description: "There is no such key" },
  problems: [],
  respond: () => ({}),
});
