import type { PortResult } from "@postern/core";
import type { MailPlane } from "@postern/mail";
import { inTime } from "../system/in-time.ts";

/** The longest that an invocation sends, so that it ends before the next minute. */
const LONGEST_MS = 50_000;

/** How long it can take to finish what has begun: to send copies, and to count and log what became of them. */
const TO_END_MS = 20_000;
/** How much of that is for copies. */
const TO_SEND_MS = 10_000;

/** The longest that an invocation sweeps: a call handles so little that mail of a busy minute takes several. */
const SWEEP_MS = 10_000;

/** Tells how many attempts to send a copy have ended, and when the next one does. */
export type CopiesEnded = { readonly count: () => number; readonly next: () => Promise<void> };

export const copiesEnded = (): CopiesEnded & { readonly onCopyEnded: () => void } => {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    count: () => count,
    next: () => next.promise,
    onCopyEnded: () => {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
  };
};

/**
 * Does once what `MailPlane.run` repeats, except for sweeping: takes in what other servers have kept for this one, sends what is due, and
 * counts and logs what became of it, until nothing more is due, for at most half a minute, and less if there is less time left. Copies that
 * are still being sent after ten more seconds are left to the next invocation of the same process; any process can take what still waits.
 * Without time to finish, nothing begins: copies that are sent when the process ends are sent again. What fails is reported by the ports,
 * and left to the next invocation. Calls must not overlap.
 *
 * @param timeLeft how long the function may take, in milliseconds
 * @param ended fed by the plane's `onCopyEnded`
 */
export const sendMail = async (
  plane: Pick<
    MailPlane,
    | "recordHandedReports"
    | "resendMessages"
    | "forwardCopies"
    | "finishForwarding"
    | "putBack"
    | "countOutcomes"
    | "logMessages"
  >,
  timeLeft: () => number,
  ended: CopiesEnded,
): Promise<void> => {
  const start = Date.now();
  const left = () => Math.max(0, Math.min(LONGEST_MS - (Date.now() - start), timeLeft()) - TO_END_MS);
  /** Works once and, while there is time, as long as that says that there is more to do now. */
  const whileDue = async (work: () => PortResult<boolean>): Promise<void> => {
    for (;;) {
      const isDue = await work();
      if (!isDue.unwrapOr(false) || left() === 0) return;
    }
  };
  const isNow = (nextAt: number | null): boolean => nextAt !== null && nextAt <= Date.now();

  if (left() === 0) return;
  await whileDue(async () => (await plane.recordHandedReports()).map((done) => done > 0));
  await whileDue(async () => (await plane.resendMessages()).map((done) => done > 0));
  await whileDue(async () => {
    const [before, next] = [ended.count(), ended.next()];
    const nextAt = await plane.forwardCopies();
    // A place is free again, or all are.
    if (nextAt.isOk()) await inTime(Promise.race([next, plane.finishForwarding()]), left());
    return nextAt.map((at) => isNow(at) || ended.count() > before);
  });
  await inTime(plane.finishForwarding(), TO_SEND_MS);
  await plane.putBack();
  await whileDue(async () => (await plane.countOutcomes()).map(isNow));
  await whileDue(async () => (await plane.logMessages()).map(isNow));
};

/** Sweeps the spool until there is nothing more to do, for at most ten seconds, and less if there is less time left; once in any case. */
export const sweepSpool = async (plane: Pick<MailPlane, "sweep">, timeLeft: () => number): Promise<void> => {
  const start = Date.now();
  const isTime = () => Date.now() - start < SWEEP_MS && timeLeft() > TO_END_MS;
  while ((await plane.sweep()) && isTime());
};
