import type { BlockedReason, PortResult } from "@postern/core";
import { begin, recordMailOutcome } from "@postern/core/operations";
import type { AliasKey } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { MailTransaction } from "../message/mail-transaction.ts";
import type { MessageSummary } from "../message/message-summary.ts";

/**
 * Counts the message of a transaction as blocked for each of the aliases, and logs it there: once for each alias, no matter how often this
 * is called. Aliases that were erased in the meantime are skipped. After `unavailable`, it may have been counted and logged for some
 * aliases, and is again if the client tries again in another transaction. If a message is counted but not logged, that is reported.
 */
export const recordBlocked = (context: MailContext) => {
  const { messageLog, limits, onUnreported } = context;
  const record = recordMailOutcome(context);
  return async (
    blocked: readonly { readonly alias: AliasKey; readonly reason: BlockedReason }[],
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
          limits,
          begin(context)(),
        ),
      ]);
      if (recorded.isErr() && recorded.error.code === "unavailable") return err(recorded.error);
      if (logged.isErr()) onUnreported(logged.error);
    }
    return ok();
  };
};
