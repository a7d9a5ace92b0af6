import { err, ok } from "neverthrow";
import type { AliasPlace } from "../../alias/aliases.ts";
import type { recordMailOutcome } from "../../alias/record-mail-outcome.ts";
import type { BlockedReason } from "../../message-log/logged-message.ts";
import type { MessageLog } from "../../message-log/message-log.ts";
import { begin, type Timing } from "../../operation/deadline.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OnUnreported, PortResult } from "../../ports/port-result.ts";
import type { MailTransaction } from "../message/mail-transaction.ts";
import type { MessageSummary } from "../message/message-summary.ts";

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
