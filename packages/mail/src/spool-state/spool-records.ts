import type { MailEvent } from "@postern/core";
import type { Copy } from "../copy/copy.ts";
import type { Message } from "../message/message.ts";

/* What a spool has to store to survive its process: a record for each message, and one for each copy. */

export type MessageRecord<Content> = {
  /** Its header is only what `rememberedHeader` leaves of it. */
  readonly message: Message;
  /** What leads to the whole header and the body; null once they are forgotten. */
  readonly content: Content | null;
  /** How much of the limit the message uses until then, in octets. */
  readonly octets: number;
};

export type OutcomeRecord = {
  readonly event: MailEvent;
  /** The place among the outcomes that have yet to be counted; null if there is nothing to count any more. */
  readonly place: number | null;
};

export type LogRecord = {
  readonly revision: number;
  /** The place among what has yet to be logged; null if this revision is logged. */
  readonly place: number | null;
};

export type CopyRecord = {
  readonly copy: Copy;
  /** The place among the copies of the message. */
  readonly place: number;
  /** Whether a message was kept because it and all others of its group have failed. */
  readonly noticed: boolean;
  readonly outcomes: readonly OutcomeRecord[];
  /** What the log of the alias has about the message. Only the first copy of a message that is in that log has it. */
  readonly log: LogRecord | null;
};

/** A message as it is read, and what leads to the rest of it. */
export type Remembered<Content> = Pick<MessageRecord<Content>, "message" | "content">;
