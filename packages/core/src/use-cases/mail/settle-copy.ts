import { err, ok } from "neverthrow";
import type { CopyState, Settlement } from "../../mail/copy.ts";
import type { DueCopy, Spool, SpoolFull } from "../../mail/ports.ts";
import type { PortResult } from "../../ports.ts";
import { discardUnlessStored } from "./own-mailing.ts";
import type { prepareNotice } from "./prepare-notice.ts";

/** Those in which a copy has not reached anybody, and will not. */
const LOST: readonly CopyState[] = ["failed", "expired", "dropped"];

/** Stores what becomes of a copy, with the notice to its sender if nothing of the message is left that could still arrive. */
export const settleCopy =
  ({
    spool,
    notice,
  }: {
    readonly spool: Pick<Spool, "settle">;
    readonly notice: ReturnType<typeof prepareNotice>;
  }) =>
  async (due: DueCopy, settlement: Settlement): PortResult<void, SpoolFull> => {
    const prepared = LOST.includes(settlement.state) ? await notice(due) : ok(null);
    if (prepared.isErr()) return err(prepared.error);
    return discardUnlessStored(prepared.value, await spool.settle(due.copy.id, settlement, prepared.value));
  };
