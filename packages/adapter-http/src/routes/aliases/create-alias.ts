import { ADDRESS_FORMATS, Description, Domain, EmailAddress, RecipientIds } from "@postern/core";
import { z } from "zod";
import { caller } from "../../authentication/authentication.ts";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

const Body = z
  .strictObject({
    alias_email: EmailAddress.optional().meta({
      format: "email",
      description: "An address on one of the service's alias domains; one is made when not given",
      examples: ["shop@alias.example"],
    }),
    alias_format: z
      .enum(ADDRESS_FORMATS, `must be one of: ${ADDRESS_FORMATS.join(", ")}`)
      .optional()
      .describe("How to make the address: random unless given"),
    alias_domain: Domain.optional().meta({
      description: "The alias domain to make the address on: the service's first one unless given",
      examples: ["alias.example"],
    }),
    description: Description.default("").describe("Free-form label"),
    recipient_ids: RecipientIds.meta({ examples: [["recipient-1", "recipient-2"]] }),
  })
  .refine(
    (body) => body.alias_email === undefined || (body.alias_format ?? body.alias_domain) === undefined,
    {
      path: ["alias_email"],
      error: "must not be given together with alias_format or alias_domain: these make an address",
    },
  );

export const createAliasRoute: Route = {
  method: "POST",
  path: "/aliases",
  open: false,
  operationId: "createAlias",
  summary: "Create an alias",
  description:
    "Of the address `alias_email`, or of one made in `alias_format` on `alias_domain` that nobody can guess. " +
    "Not both.",
  body: { name: "CreateAlias", schema: Body },
  success: {
    status: 201,
    description: "The new alias, active",
    name: "Alias",
    schema: AliasJson,
    headers: ["ETag", "Location"],
  },
  problems: ["address_taken", "address_not_allowed", "recipients_ineligible"],
  handler:
    ({ useCases, prefix }) =>
    async (request, reply) => {
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);
      const { alias_email: email, alias_format: format, alias_domain: domain } = body.value;
      const { description, recipient_ids: recipientIds } = body.value;

      const created = await useCases.createAlias({
        account: caller(request),
        email,
        format,
        domain,
        description,
        recipientIds,
      });
      if (created.isErr()) return sendProblem(reply, created.error);
      reply.code(201).header("location", `${prefix}/aliases/${encodeURIComponent(created.value.id)}`);
      return sendAlias(reply, created.value);
    },
};
