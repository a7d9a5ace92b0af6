import { recipientJson, VERIFIABLE_RECIPIENT } from "../../responses/recipient-json.ts";
import { RECIPIENT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const resendVerificationRoute = operationRoute({
  method: "POST",
  path: "/recipients/{recipient_id}/verification",
  operationId: "resendVerification",
  tag: "Recipients",
  summary: "Send a recipient a new verification link",
  description:
    "Earlier links stop working. At most one message a minute, five in 24 hours and twenty in 30 days are sent to one " +
    "mailbox, whichever accounts request them.",
  operation: (postern) => postern.resendVerification,
  input: { recipientId: RECIPIENT_ID },
  success: {
    status: 200,
    description: "The recipient",
    ...VERIFIABLE_RECIPIENT,
  },
  problems: ["recipient_not_found", "mailbox_suppressed", "rate_limited"],
  respond: ({ recipient, verification }) => ({
    body: { ...recipientJson(recipient), verification_mail: verification },
  }),
});
