import { object, reference } from "../../openapi/schema.ts";
import { entityTag } from "../../responses/entity-tag.ts";
import { RECIPIENT, recipientJson } from "../../responses/recipient-json.ts";
import { ALIAS_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getAliasRecipientsRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/recipients",
  scope: "aliases:read",
  operationId: "getAliasRecipients",
  tag: "Aliases",
  summary: "Get the recipients of an alias, in its order",
  description:
    "All of them, without pages. The `ETag` is the alias's. Of a deleted alias: those of its former recipients that still exist.",
  operation: (postern) => postern.getAliasRecipients,
  input: { aliasId: ALIAS_ID },
  success: {
    status: 200,
    description: "The recipients",
    name: "AliasRecipients",
    schema: object({
      recipients: {
        type: "array",
        items: reference(RECIPIENT),
        description: "The recipients, in the order of the alias",
      },
    }),
    headers: ["ETag"],
  },
  problems: ["alias_not_found"],
  respond: ({ alias, recipients }) => ({
    body: { recipients: recipients.map(recipientJson) },
    headers: { etag: entityTag(alias.version) },
  }),
});
