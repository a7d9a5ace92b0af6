import type { EventId, PortResult, Unavailable } from "@postern/core";
import {
  type RecordMailOutcomeError,
  recordMailOutcome,
  recordVerification,
  type VerificationOutcome,
} from "@postern/core/operations";
import { err, ok } from "neverthrow";
import { CALLS_AT_ONCE } from "../calls-at-once.ts";
import type { MailContext } from "../context.ts";
import type { UncountedOutcome } from "../copy/copy.ts";

/** Enough for one pass to be worth its calls, but few enough that little is repeated after a crash. */
const OUTCOMES_A_PASS = 100;

/** Including those that the last pass left over. */
const MOST_A_PASS = 1_000;

/** The alias or recipient that it is recorded for. */
const subjectOf = (each: UncountedOutcome): string =>
  "verification" in each
    ? JSON.stringify(["recipient", each.verification.account, each.verification.recipient])
    : JSON.stringify(["alias", each.alias.account, each.alias.id]);

/** What an outcome says about the verification message itself; null for nothing. */
const verificationOutcome = ({
  expired,
  event: { outcome, at },
}: Extract<UncountedOutcome, { readonly verification: unknown }>): VerificationOutcome | null => {
  switch (outcome) {
    case "sent":
    case "delivered":
      return { kind: outcome, at };
    case "bounced":
      return { kind: expired ? "expired" : "refused" };
    case "complaint":
    case "blocked":
    case "replied":
      return null;
  }
};

/**
 * Counts outcomes of copies for their aliases, and records those of verification messages for their recipients, oldest first, up to 100 in
 * one pass. Outcomes that were counted earlier, or whose alias no longer exists, are done as well. Returns when to call it again, in epoch
 * milliseconds; null if there is nothing to do before another outcome becomes known.
 *
 * The outcomes of one alias or recipient are recorded one after the other, until one of them cannot be. Those of other aliases and
 * recipients are still recorded, for ten of these at a time, unless all ten fail. If none is done and one could not be, the pass fails with
 * `unavailable`: call it again later. The next pass has 100 outcomes besides those that are left, but no more than 1,000 in all, and those
 * that have failed come last, so that fewer than 1,000 outcomes that cannot be recorded do not hold up the others. An outcome that was
 * counted but not marked before a crash is counted again as a duplicate, which changes nothing.
 */
export const countOutcomes = (context: MailContext) => {
  const { spool, clock } = context;
  const record = recordMailOutcome(context);
  const recordForRecipient = recordVerification(context);

  const recordOne = async (
    each: UncountedOutcome,
  ): PortResult<unknown, Exclude<RecordMailOutcomeError, Unavailable>> => {
    const { event } = each;
    if ("verification" in each) {
      const outcome = verificationOutcome(each);
      return outcome === null ? ok() : recordForRecipient(each.verification, outcome);
    }
    const { account, id } = each.alias;
    return record({ alias: { account, id }, eventId: event.id, outcome: event.outcome, at: event.at });
  };

  /** Returns those that are done, and why the next one could not be recorded; null if all are done. */
  const recordAll = async (outcomes: readonly UncountedOutcome[]) => {
    const done: EventId[] = [];
    for (const each of outcomes) {
      const recorded = await recordOne(each);
      if (recorded.isErr() && recorded.error.code === "unavailable") return { done, failure: recorded.error };
      done.push(each.event.id);
    }
    return { done, failure: null };
  };

  /** How many outcomes the last pass left over. The next pass includes them. */
  let left = 0;
  /** The aliases and recipients whose outcomes could not be recorded when last tried. They are tried last. */
  let failing: ReadonlySet<string> = new Set();

  return async (): PortResult<number | null> => {
    const limit = Math.min(OUTCOMES_A_PASS + left, MOST_A_PASS);
    const uncounted = await spool.uncounted(limit);
    if (uncounted.isErr()) return err(uncounted.error);
    const subjects = [...Map.groupBy(uncounted.value, subjectOf)].toSorted(
      ([one], [other]) => Number(failing.has(one)) - Number(failing.has(other)),
    );
    const stillFailing = new Set(subjects.map(([subject]) => subject).filter((each) => failing.has(each)));
    const done: EventId[] = [];
    let failure: Unavailable | null = null;
    for (let start = 0; start < subjects.length; start += CALLS_AT_ONCE) {
      const tried = subjects.slice(start, start + CALLS_AT_ONCE);
      const recorded = await Promise.all(tried.map(([, outcomes]) => recordAll(outcomes)));
      for (const [place, each] of recorded.entries()) {
        const subject = tried[place]?.[0] ?? "";
        if (each.failure === null) stillFailing.delete(subject);
        else stillFailing.add(subject);
        done.push(...each.done);
        failure ??= each.failure;
      }
      // Either the store itself fails, or ten that cannot be recorded came together: the next pass tries them last.
      if (recorded.every((each) => each.failure !== null)) break;
    }
    failing = stillFailing;
    left = uncounted.value.length - done.length;
    const marked = done.length === 0 ? ok() : await spool.counted(done);
    if (marked.isErr()) return err(marked.error);
    if (failure !== null) return done.length === 0 ? err(failure) : ok(clock.now());
    return ok(uncounted.value.length === limit ? clock.now() : null);
  };
};
