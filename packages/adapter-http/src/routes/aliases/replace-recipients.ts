import { RecipientIds } from "@postern/core";
import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { AliasPath, readAliasTarget } from "../../requests/path-parameters.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  recipient_ids: RecipientIds.meta({
    description: "The complete destination list",
    examples: [["recipient-1", "recipient-2"]],
  }),
});

/** The specified operation (specification, section 4). */
export const replaceRecipientsRoute: Route = {
  method: "PUT",
  path: "/aliases/{alias_id}/recipients",
  open: false,
  operationId: "replaceRecipients",
  summary: "Replace the recipients of an alias",
  description:
    "Sets the full destination list of an alias in one call. Any recipient not listed is detached; a repeated id " +
    "counts once, at its first place. The list already in place is a success that changes nothing.",
  pathParameters: AliasPath,
  ifMatch: true,
  body: { name: "ReplaceRecipients", schema: Body },
  success: {
    status: 200,
    description: "The updated alias",
    name: "Alias",
    schema: AliasJson,
    headers: ["ETag"],
  },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed", "recipients_ineligible"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readAliasTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);

      const replaced = await useCases.replaceRecipients({
        ...target.value,
        recipientIds: body.value.recipient_ids,
      });
      return replaced.isOk() ? sendAlias(reply, replaced.value) : sendProblem(reply, replaced.error);
    },
};
