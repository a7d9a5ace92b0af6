import type { PortResult } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import { Copy, type Settlement } from "../copy/copy.ts";
import { prepareNotice } from "../notices/prepare-notice.ts";
import type { DueCopy } from "../spool.ts";

/**
 * Stores the settlement of a copy, with the notice to its sender if nothing of the message is left that could still arrive. If there is no
 * room for the notice, the message would be lost silently, so `putOff` is stored instead, which keeps the copy in the queue.
 */
export const settleCopy = (context: MailContext) => {
  const { spool } = context;
  const notice = prepareNotice(context);
  return async (due: DueCopy, settlement: Settlement, putOff: () => Settlement): PortResult<void> => {
    const { id } = due.copy;
    const settled = await spool.settle(id, settlement, Copy.canArrive(settlement) ? null : notice(due));
    if (settled.isOk()) return ok();
    const { error } = settled;
    if (error.code === "unavailable") return err(error);
    const stored = await spool.settle(id, putOff(), null);
    // Without a notice, there is nothing that might not fit.
    return stored.mapErr((failure) => (failure.code === "spool_full" ? { code: "unavailable" } : failure));
  };
};
