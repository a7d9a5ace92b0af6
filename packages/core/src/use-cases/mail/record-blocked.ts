import { err, ok } from "neverthrow";
import type { MailTransaction } from "../../mail/mail-transaction.ts";
import type { MessageSummary } from "../../mail/message-summary.ts";
import type { BlockedReason } from "../../message-log/logged-message.ts";
import type { AliasPlace, Clock, MessageLog, OnUnreported, PortResult } from "../../ports.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";
import { begin, type Timing } from "../shared/deadline.ts";

/**
 * Counts the message of a transaction as blocked for each of the aliases, and logs it there: once for each alias, no matter how often this
 * is called. Aliases that were erased in the meantime are skipped. After `unavailable`, it may have been counted and logged for some
 * aliases, and is again if the client tries again in another transaction. If a message is counted but not logged, that is reported.
 */
export const recordBlocked =
  ({
    record,
    messageLog,
    onUnreported,
    ...timing
  }: Timing & {
    readonly record: ReturnType<typeof recordMailOutcome>;
    readonly messageLog: Pick<MessageLog, "save">;
    readonly clock: Pick<Clock, "now">;
    readonly onUnreported: OnUnreported;
  }) =>
  async (
    blocked: readonly { readonly alias: AliasPlace; readonly reason: BlockedReason }[],
    summary: MessageSummary,
    { id: message, startedAt: at }: MailTransaction,
  ): PortResult<void> => {
    for (const { alias, reason } of blocked) {
      const { account, id } = alias;
      const [recorded, logged] = await Promise.all([
        record({ alias: { account, id }, eventId: `${message}:blocked`, outcome: "blocked", at }),
        messageLog.save(
          {
            id: message,
            account,
            alias: id,
            at,
            direction: "received",
            ...summary,
            blocked: reason,
            copies: [],
            keptBody: null,
            revision: 1,
          },
          begin(timing)(),
        ),
      ]);
      if (recorded.isErr() && recorded.error.code === "unavailable") return err(recorded.error);
      if (logged.isErr()) onUnreported(logged.error);
    }
    return ok();
  };
