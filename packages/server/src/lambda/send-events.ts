import type { EventOutcome, EventSending, OnUnreported } from "@postern/core";
import { inTime } from "../system/in-time.ts";

/** The longest that an invocation takes, so that it ends before the next minute. */
const LONGEST_MS = 50_000;

/** How long it can take to end a turn: 15 seconds for the event that is being sent, and some for the store. */
const TO_END_MS = 20_000;

/** How often the store is asked which webhooks have events to send, while others are being sent. */
const INTERVAL_MS = 1_000;

/** What an invocation has done. */
export type EventsSummary = Readonly<Record<EventOutcome | "turns", number>>;

/**
 * Sends events until none is due, for at most 50 seconds, and less if there is less time left. Nothing is left under way: the turns that it
 * has begun have ended. A store that fails is reported, and left to the next invocation.
 *
 * @param timeLeft how long the function may take, in milliseconds
 * @returns how many turns it has begun
 * @throws Error if that is at most 20 seconds, in which no turn can be begun
 */
export const sendEvents = async (
  { beginTurns, turnsEnded }: EventSending,
  timeLeft: () => number,
  unreported: OnUnreported,
): Promise<number> => {
  const start = Date.now();
  const left = () => Math.max(0, Math.min(LONGEST_MS - (Date.now() - start), timeLeft()) - TO_END_MS);
  if (left() === 0) {
    throw new Error(
      `There is no time to send events: set the function's timeout to ${LONGEST_MS / 1000} seconds`,
    );
  }
  let turns = 0;
  do {
    const begun = await beginTurns(left);
    if (begun.isErr()) {
      unreported(begun.error);
      break;
    }
    turns += begun.value;
    const ended = await inTime(turnsEnded(), INTERVAL_MS);
    if (begun.value === 0 && ended === undefined) break;
  } while (left() > 0);
  await turnsEnded();
  return turns;
};
