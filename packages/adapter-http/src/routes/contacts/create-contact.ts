import { member, required } from "../../requests/source.ts";
import { CONTACT, contactContent } from "../../responses/contact-json.ts";
import { ALIAS_ID, EMAIL } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const createContactRoute = operationRoute({
  method: "POST",
  path: "/aliases/{alias_id}/contacts",
  scope: "aliases:write",
  creates: true,
  operationId: "createContact",
  tag: "Contacts",
  summary: "Get the address at which an alias's recipients can write to somebody first",
  description:
    "What they send to `reverse_email` reaches the contact from the alias, without their own addresses. Safe to repeat: an address that is a " +
    "contact already stays the same one.",
  operation: (postern) => postern.createContact,
  input: {
    aliasId: ALIAS_ID,
    email: required(
      member("email", { ...EMAIL, description: "Whom to write to", examples: ["support@shop.example"] }),
    ),
  },
  bodyName: "CreateContact",
  success: { status: 200, description: "The contact, new or not", ...CONTACT, headers: ["ETag"] },
  problems: [
    "too_many_creations",
    "alias_not_found",
    "alias_deleted",
    "address_not_allowed",
    "too_many_contacts",
  ],
  respond: contactContent,
});
