import { ADDRESS_FORMATS, MAX_DESCRIPTION_LENGTH, MAX_DOMAIN_LENGTH } from "@postern/core";
import { CHOSEN_ADDRESS, DOMAIN, TEXT } from "../../openapi/patterns.ts";
import { member, required } from "../../requests/source.ts";
import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { EMAIL, IDEMPOTENCY_KEY, RECIPIENT_IDS, WEBSITE } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const createAliasRoute = operationRoute({
  method: "POST",
  path: "/aliases",
  scope: "aliases:create",
  creates: "once",
  operationId: "createAlias",
  tag: "Aliases",
  summary: "Create an alias",
  description:
    "Pass the address as `alias_email`, or let the service generate one that cannot be guessed, in `alias_format` on " +
    "`alias_domain`. The two cannot be combined.",
  operation: (postern) => postern.createAlias,
  input: {
    idempotencyKey: IDEMPOTENCY_KEY,
    email: member("alias_email", {
      ...EMAIL,
      pattern: CHOSEN_ADDRESS,
      description:
        "An address on one of the service's alias domains. Before the @: letters and digits, with " +
        "single `.`, `_` or `-` between them",
      examples: ["shop@alias.example"],
    }),
    format: member("alias_format", {
      type: "string",
      enum: ADDRESS_FORMATS,
      description: "How to generate the address; `random` by default",
      examples: ["words"],
    }),
    domain: member("alias_domain", {
      type: "string",
      maxLength: MAX_DOMAIN_LENGTH,
      pattern: DOMAIN,
      description: "The alias domain of the generated address; the service's first one by default",
      examples: ["alias.example"],
    }),
    description: member("description", {
      type: "string",
      maxLength: MAX_DESCRIPTION_LENGTH,
      pattern: TEXT,
      description: "Free-form label; empty by default",
      examples: ["Shopping"],
    }),
    website: WEBSITE,
    recipientIds: required(
      member("recipient_ids", { ...RECIPIENT_IDS, description: "The complete list of recipients, in order" }),
    ),
  },
  bodyName: "CreateAlias",
  bodyShapes: [
    {
      name: "CreateAliasWithAddress",
      description: "Create an alias with an address of your choice",
      requires: ["alias_email"],
      without: ["alias_format", "alias_domain"],
    },
    {
      name: "CreateAliasWithGeneratedAddress",
      description: "Create an alias with a generated address",
      without: ["alias_email"],
    },
  ],
  success: {
    status: 201,
    description:
      "The new alias, which is active; if the request is a repeat, the alias of the first one as it is now",
    ...ALIAS,
    headers: ["ETag", "Location"],
  },
  problems: [
    "too_many_creations",
    "address_taken",
    "address_not_allowed",
    "recipients_ineligible",
    "too_many_aliases",
    "idempotency_key_reused",
    "alias_not_found",
  ],
  respond: (alias, { linkBase }) => {
    const { body, headers } = aliasContent(alias);
    return { body, headers: { ...headers, location: `${linkBase}/aliases/${encodeURIComponent(alias.id)}` } };
  },
});
