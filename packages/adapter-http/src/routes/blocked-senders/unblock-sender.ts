import { BLOCKED_SENDER_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const unblockSenderRoute = operationRoute({
  method: "DELETE",
  path: "/blocked-senders/{blocked_sender_id}",
  operationId: "unblockSender",
  tag: "Blocked senders",
  summary: "Accept mail from a blocked sender again",
  description:
    "Its mail stays refused if another blocked sender covers it. Idempotent: succeeds if nothing is blocked with this id.",
  operation: (postern) => postern.unblockSender,
  input: { blockedSenderId: BLOCKED_SENDER_ID },
  success: { status: 204, description: "The sender is not blocked" },
  problems: [],
  respond: () => ({}),
});
