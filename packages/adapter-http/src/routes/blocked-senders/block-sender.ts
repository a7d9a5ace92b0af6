import { member, required } from "../../requests/source.ts";
import { BLOCKED_SENDER, blockedSenderJson } from "../../responses/blocked-sender-json.ts";
import { SENDER } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const blockSenderRoute = operationRoute({
  method: "POST",
  path: "/blocked-senders",
  creates: true,
  operationId: "blockSender",
  tag: "Blocked senders",
  summary: "Block an email address or a domain",
  description:
    "No alias of the account accepts mail from the sender any more: it is refused, and counts in `emails_blocked`. A domain stands for its " +
    "subdomains too. Safe to repeat: a sender that is blocked already stays as it is.",
  operation: (postern) => postern.blockSender,
  input: {
    sender: required(
      member("sender", {
        ...SENDER,
        description: "An email address, or a domain of at most 11 labels",
        examples: ["spam.example", "someone@other.example"],
      }),
    ),
  },
  bodyName: "BlockSender",
  success: { status: 200, description: "The blocked sender, new or not", ...BLOCKED_SENDER },
  problems: ["too_many_creations", "too_many_blocked_senders"],
  respond: (blocked) => ({ body: blockedSenderJson(blocked) }),
});
