import { reference } from "../../openapi/schema.ts";
import { member } from "../../requests/source.ts";
import { BLOCKING, CONTACT, contactContent } from "../../responses/contact-json.ts";
import { ALIAS_ID, CONTACT_ID, IF_MATCH } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateContactRoute = operationRoute({
  method: "PATCH",
  path: "/aliases/{alias_id}/contacts/{contact_id}",
  scope: "aliases:write",
  operationId: "updateContact",
  tag: "Contacts",
  summary: "Block a contact, or accept mail from it again",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Mail that a blocked contact sends to the alias " +
    "counts in `emails_blocked`. The contact can still be written to.",
  operation: (postern) => postern.updateContact,
  input: {
    aliasId: ALIAS_ID,
    contactId: CONTACT_ID,
    expectedVersions: IF_MATCH,
    blocking: member("blocking", reference(BLOCKING)),
  },
  bodyName: "UpdateContact",
  success: { status: 200, description: "The updated contact", ...CONTACT, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "contact_not_found", "precondition_failed"],
  respond: contactContent,
});
