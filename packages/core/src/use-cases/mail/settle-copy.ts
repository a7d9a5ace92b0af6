import type { CopyState, Settlement } from "../../mail/copy.ts";
import type { DueCopy, Spool, SpoolFull } from "../../mail/ports.ts";
import type { PortResult } from "../../ports.ts";
import type { prepareNotice } from "./prepare-notice.ts";

/** Those in which a copy has not reached anybody, and will not. */
const LOST: readonly CopyState[] = ["failed", "expired", "dropped"];

/**
 * Stores what becomes of a copy, with the notice to its sender if nothing of the message is left that could still arrive. `spool_full` if
 * there is no room for that: then the copy has to wait, because its message would be lost silently.
 */
export const settleCopy =
  ({
    spool,
    notice,
  }: {
    readonly spool: Pick<Spool, "settle">;
    readonly notice: ReturnType<typeof prepareNotice>;
  }) =>
  (due: DueCopy, settlement: Settlement): PortResult<void, SpoolFull> =>
    spool.settle(due.copy.id, settlement, LOST.includes(settlement.state) ? notice(due) : null);
