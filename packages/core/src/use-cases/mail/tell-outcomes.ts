import { err, ok } from "neverthrow";
import type { Spool } from "../../mail/ports.ts";
import type { PortResult } from "../../ports.ts";
import type { EventId } from "../../values/identifiers.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";

/** Enough for one pass to be worth its calls, few enough that little is repeated after a crash. */
const OUTCOMES_A_PASS = 100;

/**
 * Counts outcomes of copies for their aliases, the oldest first, up to 100 in one pass. Returns how many are done: counted now or
 * before, or of an alias that does not exist any more. They are not told again.
 *
 * Stops at the first one that cannot be counted, and is `unavailable` then: call it again later. An outcome that was counted
 * before a crash, but not marked, is counted again as a duplicate, which changes nothing.
 */
export const tellOutcomes =
  ({
    spool,
    record,
  }: {
    readonly spool: Pick<Spool, "untold" | "told">;
    readonly record: ReturnType<typeof recordMailOutcome>;
  }) =>
  async (): PortResult<number> => {
    const untold = await spool.untold(OUTCOMES_A_PASS);
    if (untold.isErr()) return err(untold.error);
    const done: EventId[] = [];
    const finish = async (): PortResult<number> =>
      done.length === 0 ? ok(0) : (await spool.told(done)).map(() => done.length);
    for (const { alias, event } of untold.value) {
      const { id: eventId, outcome, at } = event;
      const recorded = await record({
        alias: { account: alias.account, id: alias.id },
        eventId,
        outcome,
        at,
      });
      if (recorded.isErr() && recorded.error.code === "unavailable") {
        const told = await finish();
        return err(told.isErr() ? told.error : recorded.error);
      }
      done.push(eventId);
    }
    return finish();
  };
