import type { PortResult } from "@postern/core";
import { begin } from "@postern/core/operations";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";

/**
 * Drops waiting mail of suspended accounts while the spool is short of room: it might never be sent, and others need the room. Begins with
 * the accounts that have most. Does a bounded amount of work per call. Returns whether there is more to do.
 */
export const dropSuspended = (context: MailContext) => {
  const { spool, suspensions, clock } = context;
  return async (): PortResult<boolean> => {
    const largest = await spool.largest();
    if (largest.isErr()) return err(largest.error);
    for (const account of largest.value) {
      const since = await suspensions.find(account, begin(context)());
      if (since.isErr()) return err(since.error);
      if (since.value === null) continue;
      return (await spool.dropAll(account, clock.now())).map((dropped) => dropped > 0);
    }
    return ok(false);
  };
};
