import { CONTACT, contactContent } from "../../responses/contact-json.ts";
import { ALIAS_ID, CONTACT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getContactRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/contacts/{contact_id}",
  scope: "aliases:read",
  operationId: "getContact",
  tag: "Contacts",
  summary: "Get a contact of an alias",
  description: "Its `reverse_email` is where the alias's recipients write to in order to reach it.",
  operation: (postern) => postern.getContact,
  input: { aliasId: ALIAS_ID, contactId: CONTACT_ID },
  success: { status: 200, description: "The contact", ...CONTACT, headers: ["ETag"] },
  problems: ["alias_not_found", "contact_not_found"],
  respond: contactContent,
});
