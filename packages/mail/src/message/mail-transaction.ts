import { type Clock, type MessageId, newMessageId, type Secrets } from "@postern/core";

/** A client's attempt to send a message, from MAIL to the end of DATA (RFC 5321, section 3.3). */
export type MailTransaction = {
  /** The message is logged with this id if it is blocked. */
  readonly id: MessageId;
  /** In epoch milliseconds. */
  readonly startedAt: number;
};

export const beginTransaction = ({
  secrets,
  clock,
}: {
  readonly secrets: Pick<Secrets, "random">;
  readonly clock: Pick<Clock, "now">;
}): MailTransaction => ({ id: newMessageId(secrets.random), startedAt: clock.now() });
