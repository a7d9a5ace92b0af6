import { type Clock, type MessageId, newMessageId, type Secrets } from "@postern/core";
import { hashedMessageId } from "@postern/core/operations";

/** An attempt to send a message: for a client, from MAIL to the end of DATA (RFC 5321, section 3.3). */
export type MailTransaction = {
  /** The message is logged with this id if it is blocked. */
  readonly id: MessageId;
  /** In epoch milliseconds. */
  readonly startedAt: number;
};

/**
 * @param arrival a name of the message that arrives, if it can arrive several times: the id is then the same each time, as long as the key
 *   of `secrets.hash` stays the same
 */
export const beginTransaction = (
  {
    secrets,
    clock,
  }: {
    readonly secrets: Pick<Secrets, "random" | "hash">;
    readonly clock: Pick<Clock, "now">;
  },
  arrival?: string,
): MailTransaction => ({
  id:
    arrival === undefined
      ? newMessageId(secrets.random)
      : hashedMessageId(secrets.hash, `arrival:${arrival}`),
  startedAt: clock.now(),
});

/** The id of a message that is stored because of the one that arrives in the transaction. `part` says which one it is. */
export const storedMessageId = (
  { id }: Pick<MailTransaction, "id">,
  part: "forwarded" | readonly ["reply" | "unsubscription", ...string[]],
  { hash }: Pick<Secrets, "hash">,
): MessageId => hashedMessageId(hash, JSON.stringify([id, part]));
