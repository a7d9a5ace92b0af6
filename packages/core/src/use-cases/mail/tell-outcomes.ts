import { err, ok } from "neverthrow";
import type { Spool, UntoldOutcome } from "../../mail/ports.ts";
import type { PortResult } from "../../ports.ts";
import type { EventId } from "../../values/identifiers.ts";
import type { recordMailOutcome } from "../aliases/record-mail-outcome.ts";
import type { recordVerification } from "./record-verification.ts";

/** Enough for one pass to be worth its calls, few enough that little is repeated after a crash. */
const OUTCOMES_A_PASS = 100;

/**
 * Counts outcomes of copies for their aliases, and records those of verification messages for their recipients, the oldest first, up to 100 in one pass. Returns how many are done: counted now or
 * before, or of an alias that does not exist any more. They are not told again.
 *
 * Stops at the first one that cannot be counted, and is `unavailable` then: call it again later. An outcome that was counted
 * before a crash, but not marked, is counted again as a duplicate, which changes nothing.
 */
export const tellOutcomes =
  ({
    spool,
    record,
    recordForRecipient,
  }: {
    readonly spool: Pick<Spool, "untold" | "told">;
    readonly record: ReturnType<typeof recordMailOutcome>;
    readonly recordForRecipient: ReturnType<typeof recordVerification>;
  }) =>
  async (): PortResult<number> => {
    const untold = await spool.untold(OUTCOMES_A_PASS);
    if (untold.isErr()) return err(untold.error);
    const done: EventId[] = [];
    const finish = async (): PortResult<number> =>
      done.length === 0 ? ok(0) : (await spool.told(done)).map(() => done.length);
    const recordOne = (each: UntoldOutcome) => {
      if ("verification" in each) return recordForRecipient(each);
      const { account, id } = each.alias;
      const { id: eventId, outcome, at } = each.event;
      return record({ alias: { account, id }, eventId, outcome, at });
    };
    for (const each of untold.value) {
      const recorded = await recordOne(each);
      if (recorded.isErr() && recorded.error.code === "unavailable") {
        const told = await finish();
        return err(told.isErr() ? told.error : recorded.error);
      }
      done.push(each.event.id);
    }
    return finish();
  };
