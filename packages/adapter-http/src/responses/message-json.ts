import {
  type AttributedMessage,
  BLOCKED_REASONS,
  type BlockedReason,
  type ContactId,
  type EmailAddress,
  FAILURE_REASONS,
  type FailureReason,
  LOGGED_COPY_STATES,
  type LoggedCopy,
  LoggedMessage,
} from "@postern/core";
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

/** The only place that words these reasons for people. */
const BLOCKED: Readonly<Record<BlockedReason, string>> = {
  sender_not_authentic:
    "The message is not from the domain in its From address, and that domain asks for such messages to be refused.",
  contact_blocked: "You have blocked this contact.",
  sender_blocked: "You have blocked this sender.",
  not_written_to: "The alias only accepts mail from contacts that you have written to or added.",
  not_listed: "The sender is not among those whose mail the alias accepts.",
  alias_inactive: "The alias is switched off, or has ended.",
  account_suspended: "The operator of this service has suspended the account.",
};

const FAILED: Readonly<Record<FailureReason, string>> = {
  mailbox_unknown: "The mail server says that there is no such mailbox.",
  mailbox_full: "The mailbox is full.",
  mailbox_disabled: "The mailbox has been disabled.",
  message_too_large: "The message is larger than the mail server or the mailbox accepts.",
  refused_by_policy: "The mail server refused the message as spam, or because of its other rules.",
  unreachable: "The mail server cannot be reached, or is not accepting mail.",
  relay_unavailable: "This service cannot send mail at the moment.",
  other: "The mail server did not accept the message, and gave no reason that is known here.",
};

const COPY_STATE: NamedSchema = {
  name: "CopyState",
  schema: {
    type: "string",
    enum: LOGGED_COPY_STATES,
    description:
      "`queued` will be tried, or tried again; `sent` was handed over; `delivered` is known to have arrived; `bounced` was refused, " +
      "at once or later; `expired` could not be sent for five days; `dropped` was given up: by the operator, because the recipient was " +
      "replaced or the alias deleted, or after five days of suspension",
  },
};

const DIRECTION: NamedSchema = {
  name: "Direction",
  schema: {
    type: "string",
    enum: ["received", "sent"],
    description:
      "`sent`: a recipient of the alias has written it to contacts, or has unsubscribed from a list",
  },
};

const FAILURE_REASON: NamedSchema = {
  name: "FailureReason",
  schema: { type: "string", enum: FAILURE_REASONS, description: "Why a message could not be delivered" },
};

const BLOCKED_REASON: NamedSchema = {
  name: "BlockedReason",
  schema: { type: "string", enum: BLOCKED_REASONS, description: "Why a message was not forwarded" },
};

const reason = (name: string, codes: NamedSchema, words: string, description: string): NamedSchema => ({
  name,
  schema: {
    ...object({
      code: openEnum(codes, { description: "Stable: match on it" }),
      message: { type: "string", description: "The same in words, for people to read", examples: [words] },
    }),
    description,
  },
});

const FAILURE = reason("Failure", FAILURE_REASON, FAILED.mailbox_unknown, "What went wrong");

const BLOCKED_BECAUSE = reason(
  "Blocked",
  BLOCKED_REASON,
  BLOCKED.sender_not_authentic,
  "Why a message was not forwarded",
);

const RECIPIENT = {
  email: { ...ADDRESS, description: "Where it was to be sent", examples: ["work@example.com"] },
  state: openEnum(COPY_STATE, { description: "What became of it there", examples: ["bounced"] }),
  datetime_changed: time("Since when it has been in this state, in Unix epoch milliseconds"),
  reason: { ...nullable(reference(FAILURE)), description: "What went wrong; null if nothing did" },
} satisfies Record<string, Schema>;

const AUTHOR = {
  email: { ...ADDRESS, description: "Its address", examples: ["support@shop.example"] },
  contact_id: nullable({
    type: "string",
    description: "The contact of the alias that has this address; null if there is none",
    examples: ["7qzx3mhl2d5nwe4kfy6tbr2acu"],
  }),
} satisfies Record<string, Schema>;

const PROPERTIES = {
  message_id: {
    type: "string",
    description: "Opaque; identifies the message at this alias",
    examples: ["0001760000000000mtkuqszxt4aqwjmuqrmhai7toe"],
  },
  datetime_received: time("When this service received it, in Unix epoch milliseconds"),
  direction: openEnum(DIRECTION, {
    description: "Whether it came from a contact, or was sent from the alias",
  }),
  contact: nullable({
    ...object(AUTHOR),
    description: "Whom a received message is from; null if that is not known",
  }),
  size: nullable(count("In octets; null if it was refused before it was sent", 2_345)),
  subject: nullable({
    type: "string",
    description: "Up to 200 characters; null unless the operator has enabled subjects",
    examples: [null],
  }),
  blocked: {
    ...nullable(reference(BLOCKED_BECAUSE)),
    description: "Why it was not forwarded; null if it was accepted",
    examples: [null],
  },
  count: count(
    "How many messages this stands for: 1, or more if others were blocked within a minute at this alias for the same reason, from the " +
      "same domain; the rest is about the first one",
  ),
  unsubscribes_from: nullable({
    type: "string",
    description:
      "The `message_id` of the message from whose list this one has unsubscribed the alias; null for all other messages",
    examples: [null],
  }),
  recipients: {
    type: "array",
    items: reference({
      name: "MessageRecipient",
      schema: { ...object(RECIPIENT), description: "Where a message was to be sent" },
    }),
    description: "Where it was to be sent, and what became of it there; empty if it was blocked",
  },
  resendable_until: nullable(
    time(
      "The time until which the message can be sent again, in Unix epoch milliseconds, unless the space is needed earlier; null if it cannot",
    ),
  ),
} satisfies Record<string, Schema>;

/** A message in the log of an alias as clients see it. */
export const MESSAGE: NamedSchema = {
  name: "Message",
  schema: { ...object(PROPERTIES), description: "A message in the log of an alias" },
};

const recipientJson = (copy: LoggedCopy): Record<keyof typeof RECIPIENT, unknown> => ({
  email: copy.to,
  state: copy.state,
  datetime_changed: copy.at,
  reason: copy.reason && { code: copy.reason, message: FAILED[copy.reason] },
});

const authorJson = (
  email: EmailAddress,
  contactId: ContactId | null,
): Record<keyof typeof AUTHOR, unknown> => ({ email, contact_id: contactId });

export const messageJson = (message: AttributedMessage): Record<keyof typeof PROPERTIES, unknown> => ({
  message_id: LoggedMessage.position(message),
  datetime_received: message.at,
  direction: message.direction,
  contact: message.contact && authorJson(message.contact, message.contactId),
  size: message.size,
  subject: message.subject,
  blocked: message.blocked && { code: message.blocked, message: BLOCKED[message.blocked] },
  count: message.count,
  unsubscribes_from: message.unsubscribesFrom,
  recipients: message.copies.map(recipientJson),
  resendable_until: message.keptBody?.until ?? null,
});
