import { err, ok } from "neverthrow";
import { newMessageId } from "../../mail/mail-ids.ts";
import type { MessageSummary } from "../../mail/message-summary.ts";
import type { BlockedReason } from "../../message-log/logged-message.ts";
import type { AliasPlace, Clock, MessageLog, OnUnreported, PortResult, Secrets } from "../../ports.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";
import { begin, type Timing } from "../shared/deadline.ts";

/**
 * Counts one message as blocked for each of the aliases, and logs it there. Aliases that were erased meanwhile are skipped. After
 * `unavailable`, some may have been counted and logged, and are again if the client tries again. A message that is counted but not
 * logged is reported.
 */
export const recordBlocked =
  ({
    record,
    messageLog,
    secrets,
    onUnreported,
    ...timing
  }: Timing & {
    readonly record: ReturnType<typeof recordMailOutcome>;
    readonly messageLog: Pick<MessageLog, "save">;
    readonly secrets: Pick<Secrets, "random">;
    readonly clock: Pick<Clock, "now">;
    readonly onUnreported: OnUnreported;
  }) =>
  async (
    blocked: readonly { readonly alias: AliasPlace; readonly reason: BlockedReason }[],
    summary: MessageSummary,
  ): PortResult<void> => {
    const message = newMessageId(secrets.random);
    for (const { alias, reason } of blocked) {
      const { account, id } = alias;
      const at = timing.clock.now();
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
