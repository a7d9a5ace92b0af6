import { Description, EmailAddress, RecipientIds } from "@postern/core";
import { z } from "zod";
import { AliasJson, sendAlias } from "../alias-json.ts";
import { caller } from "../authentication.ts";
import { readBody } from "../input.ts";
import { sendProblem } from "../problem.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  alias_email: EmailAddress.meta({
    format: "email",
    description: "An address on one of the service's alias domains",
    examples: ["shop@alias.example"],
  }),
  description: Description.default("").describe("Free-form label"),
  recipient_ids: RecipientIds.meta({ examples: [["recipient-1", "recipient-2"]] }),
});

export const createAliasRoute: Route = {
  method: "POST",
  path: "/aliases",
  open: false,
  operationId: "createAlias",
  summary: "Create an alias",
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
      const { alias_email: email, description, recipient_ids: recipientIds } = body.value;

      const created = await useCases.createAlias({
        account: caller(request),
        email,
        description,
        recipientIds,
      });
      if (created.isErr()) return sendProblem(reply, created.error);
      reply.code(201).header("location", `${prefix}/aliases/${encodeURIComponent(created.value.id)}`);
      return sendAlias(reply, created.value);
    },
};
