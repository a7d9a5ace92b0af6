import { count, nullable, object } from "../../openapi/schema.ts";
import { decodeCursor, writeCursor } from "../../requests/cursor.ts";
import { member, required } from "../../requests/source.ts";
import { CURSOR_TEXT, ID, RECIPIENT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const reassignRecipientRoute = operationRoute({
  method: "POST",
  path: "/recipients/{recipient_id}/reassign",
  operationId: "reassignRecipient",
  tag: "Recipients",
  summary: "Replace a recipient with another in all its aliases",
  description:
    "Changes up to 25 aliases a call, each of them atomically and without changing the order of its recipients; where " +
    "the other recipient is already attached, this one is only detached. Safe to repeat: finished aliases are skipped.",
  operation: (postern) => postern.reassignRecipient,
  input: {
    recipientId: RECIPIENT_ID,
    to: required(
      member("recipient_id", {
        ...ID,
        description: "The recipient that replaces it",
        examples: ["019a2c3f-0c80-7e10-a3b4-5c6d7e8f9a0b"],
      }),
    ),
    after: member(
      "cursor",
      { ...CURSOR_TEXT, description: "`next_cursor` of the previous call" },
      decodeCursor("reassignment"),
    ),
  },
  bodyName: "ReassignRecipient",
  success: {
    status: 200,
    description: "What was done and what is left",
    name: "Reassignment",
    schema: object({
      reassigned: {
        type: "array",
        items: { type: "string" },
        description: "The aliases from which this call detached the recipient",
        examples: [["019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"]],
      },
      remaining: count("How many aliases the recipient is still attached to", 0),
      next_cursor: nullable({
        ...CURSOR_TEXT,
        examples: [null],
        description: "Where to continue; null when the last alias was reached",
      }),
    }),
  },
  problems: ["recipient_not_found", "recipients_ineligible"],
  respond: ({ reassigned, remaining, next }, { account }) => ({
    body: { reassigned, remaining, next_cursor: writeCursor("reassignment", account, next) },
  }),
});
