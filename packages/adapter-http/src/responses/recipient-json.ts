import type { Recipient, VerificationDelivery } from "@postern/core";
import {
  ADDRESS,
  count,
  type NamedSchema,
  nullable,
  object,
  openEnum,
  reference,
  type Schema,
  time,
} from "../openapi/schema.ts";

const TIME = time("Unix epoch milliseconds");

const AGAIN = "request another one with POST /recipients/{recipient_id}/verification.";

/** True whether the mail server could not be reached, or did not say: the store does not know which. */
const NOT_ACCEPTED = `No mail server has confirmed that it accepts the verification message. If it does not arrive, check the address, and ${AGAIN}`;

const NOTES: Record<VerificationDelivery, string> = {
  queued: `The verification message is waiting to be sent. If it has not arrived after an hour, ${AGAIN}`,
  refused: `The mail server of this address has refused the verification message for good: the mailbox may not exist, or not accept such messages. Check the address. If it is right, ask whoever runs the mailbox, and then ${AGAIN}`,
  expired: `No mail server has accepted the verification message within an hour. Check the address, and ${AGAIN}`,
  sending_paused: `The verification message was not sent: the mail provider of this service sends nothing for it at the moment. The address is not to blame. Later, ${AGAIN}`,
  sender_refused: `The verification message was not sent: the mail provider of this service does not let it send mail. The address is not to blame. Once whoever runs this service has corrected that, ${AGAIN}`,
  message_rejected: `The mail provider of this service has refused the verification message or this address. Check the address. If it is right, ask whoever runs this service, and then ${AGAIN}`,
};

const noteOf = ({ verifiedAt, verificationSentAt, verificationDelivery }: Recipient): string | null => {
  if (verifiedAt !== null) return null;
  if (verificationDelivery !== null) return NOTES[verificationDelivery];
  return verificationSentAt === null ? NOT_ACCEPTED : null;
};

const RECIPIENT_PROPERTIES = {
  recipient_id: {
    type: "string",
    description: "Opaque; stable for the life of the recipient",
    examples: ["019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a"],
  },
  recipient_email: {
    ...ADDRESS,
    description: "The mailbox",
    examples: ["home@example.com"],
  },
  verified: { type: "boolean", description: "Whether access to the mailbox has been proved" },
  active: { type: "boolean", description: "Whether it may be attached to aliases" },
  alias_count: count("How many aliases it is attached to"),
  datetime_default: nullable(
    time(
      "When it was made the default recipient, in Unix epoch milliseconds; null if it was not. Aliases that programs with keys " +
        "create forward to the default recipient, unless others are named. Of those that are verified and active, it is the one with the " +
        "latest time or, if none has one, the one added first",
    ),
  ),
  datetime_verified: nullable(time("Unix epoch milliseconds; null while not verified")),
  datetime_verification_sent: nullable(
    time(
      "When the message with the newest link was handed over for sending, in Unix epoch milliseconds; null if it was not",
    ),
  ),
  verification_note: nullable({
    type: "string",
    description:
      "Why the recipient cannot be verified yet, and what to do about it; null if nothing is wrong",
    examples: [null],
  }),
  datetime_created: TIME,
  datetime_updated: TIME,
} satisfies Record<string, Schema>;

/** A recipient as clients see it. */
export const RECIPIENT: NamedSchema = {
  name: "Recipient",
  schema: { ...object(RECIPIENT_PROPERTIES), description: "A mailbox that aliases can forward to" },
};

const VERIFICATION_MAIL: NamedSchema = {
  name: "VerificationMail",
  schema: {
    type: "string",
    enum: ["sent", "queued", "not_sent", "not_needed"],
    description:
      "Whether the message with the verification link was handed over for sending, or waits for that: `verification_note` says what " +
      "becomes of it. A verified recipient needs none",
  },
};

/** A recipient that was to be sent a verification link. */
export const VERIFIABLE_RECIPIENT: NamedSchema = {
  name: "VerifiableRecipient",
  schema: {
    allOf: [
      reference(RECIPIENT),
      object({
        verification_mail: openEnum(VERIFICATION_MAIL, {
          description: "What became of the verification message",
        }),
      }),
    ],
    description: "A recipient that was to be sent a verification link",
  },
};

export const recipientJson = (recipient: Recipient): Record<keyof typeof RECIPIENT_PROPERTIES, unknown> => ({
  recipient_id: recipient.id,
  recipient_email: recipient.email,
  verified: recipient.verifiedAt !== null,
  active: recipient.active,
  alias_count: recipient.attached,
  datetime_default: recipient.defaultSince,
  datetime_verified: recipient.verifiedAt,
  datetime_verification_sent: recipient.verificationSentAt,
  verification_note: noteOf(recipient),
  datetime_created: recipient.createdAt,
  datetime_updated: recipient.updatedAt,
});
