import { member, required } from "../../requests/source.ts";
import { recipientJson, VERIFIABLE_RECIPIENT } from "../../responses/recipient-json.ts";
import { EMAIL } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const addRecipientRoute = operationRoute({
  method: "POST",
  path: "/recipients",
  creates: true,
  operationId: "addRecipient",
  tag: "Recipients",
  summary: "Add a recipient and send it a verification link",
  description:
    "At most one message a minute, five in 24 hours and twenty in 30 days are sent to one mailbox, whichever accounts " +
    "request them. Beyond that, nothing is stored.",
  operation: (postern) => postern.addRecipient,
  input: {
    email: required(
      member("recipient_email", {
        ...EMAIL,
        description: "The mailbox",
        examples: ["me@example.com"],
      }),
    ),
  },
  bodyName: "AddRecipient",
  success: {
    status: 201,
    description: "The new recipient, not verified yet",
    ...VERIFIABLE_RECIPIENT,
    headers: ["Location"],
  },
  problems: [
    "too_many_creations",
    "address_taken",
    "address_not_allowed",
    "too_many_recipients",
    "too_many_unverified_recipients",
    "mailbox_suppressed",
    "rate_limited",
  ],
  respond: ({ recipient, verification }, { linkBase }) => ({
    body: { ...recipientJson(recipient), verification_mail: verification },
    headers: { location: `${linkBase}/recipients/${encodeURIComponent(recipient.id)}` },
  }),
});
