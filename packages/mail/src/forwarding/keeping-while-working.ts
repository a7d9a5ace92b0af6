import { type CopyId, err, type Unavailable } from "@postern/core";
import type { Spool } from "../spool.ts";

const NOT_WORKING: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "the spool cannot hand out other mail, or record what became of it" },
};

/**
 * The spool, which keeps no other mail while mail cannot leave it: as long as no copies can be handed out, or the settlement of one cannot
 * be stored. Both are tried again and again (`forwardCopies`), so that this ends by itself.
 */
export const keepingWhileWorking = (spool: Spool): Spool => {
  let canTake = true;
  /** At most as many as are being sent. */
  const unsettled = new Set<CopyId>();
  return {
    ...spool,
    keep: async (mailing) => (canTake && unsettled.size === 0 ? spool.keep(mailing) : err(NOT_WORKING)),
    take: async (...input) => {
      const taken = await spool.take(...input);
      canTake = taken.isOk();
      return taken;
    },
    settle: async (copy, ...input) => {
      const settled = await spool.settle(copy, ...input);
      // After `spool_full`, the copy is put off.
      if (settled.isErr()) unsettled.add(copy);
      else unsettled.delete(copy);
      return settled;
    },
  };
};
