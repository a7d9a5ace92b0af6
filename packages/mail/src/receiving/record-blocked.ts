import type { BlockedReason, PortResult } from "@postern/core";
import { begin, recordMailOutcome } from "@postern/core/operations";
import type { AliasKey } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { MailTransaction } from "../message/mail-transaction.ts";
import type { MessageSummary } from "../message/message-summary.ts";
import { blockedEntries } from "./blocked-entries.ts";

/**
 * Counts the message of a transaction as blocked for each of the aliases, and logs it there: once for each alias, no matter how often this
 * is called, and together with others like it (`blockedEntries`). Aliases that were erased in the meantime are skipped. After `unavailable`,
 * it may have been counted and logged for some aliases, and is again if the client tries again in another transaction. If a message is
 * counted but not logged, that is reported.
 */
export const recordBlocked = (context: MailContext) => {
  const { messageLog, limits, onUnreported } = context;
  const record = recordMailOutcome(context);
  const entryOf = blockedEntries();
  /** The aliases at which a transaction has been logged. */
  const logged = new WeakMap<MailTransaction, Set<string>>();

  /** Whether the transaction has not been logged there yet. */
  const isNewAt = (transaction: MailTransaction, { account, id }: AliasKey): boolean => {
    const aliases = logged.get(transaction) ?? new Set();
    logged.set(transaction, aliases);
    const { size } = aliases;
    return aliases.add(JSON.stringify([account, id])).size > size;
  };

  return async (
    blocked: readonly { readonly alias: AliasKey; readonly reason: BlockedReason }[],
    summary: MessageSummary,
    transaction: MailTransaction,
  ): PortResult<void> => {
    const { id: message, startedAt: at } = transaction;
    for (const { alias, reason } of blocked) {
      const { account, id } = alias;
      const [recorded, saved] = await Promise.all([
        record({ alias: { account, id }, eventId: `${message}:blocked`, outcome: "blocked", at }),
        isNewAt(transaction, alias)
          ? messageLog.save(
              entryOf({
                id: message,
                account,
                alias: id,
                at,
                direction: "received",
                ...summary,
                blocked: reason,
                unsubscribesFrom: null,
                copies: [],
                keptBody: null,
                count: 1,
                revision: 1,
              }),
              limits,
              begin(context)(),
            )
          : ok(),
      ]);
      if (recorded.isErr() && recorded.error.code === "unavailable") return err(recorded.error);
      if (saved.isErr()) onUnreported(saved.error);
    }
    return ok();
  };
};
