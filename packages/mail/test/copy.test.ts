import { FAILURE_REASONS, failureReason, MAIL_OUTCOMES, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  COPY_LIFETIME,
  Copy,
  type CopyPurpose,
  type CopyState,
  type Message,
  type RelayAnswer,
} from "@postern/mail";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aCopy, aMessage, NOTICE, POSTMASTER, VERIFICATION } from "./samples.ts";
import { FORWARD } from "./support/mail.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const MESSAGE: Message = aMessage(0);
const RECEIVED = MESSAGE.createdAt;

const problem = fc.record({
  kind: fc.constant("deferred" as const),
  about: fc.constant("copy" as const),
  code: fc.constantFrom(null, 421, 450, 451, 452),
  status: fc.constantFrom(null, "4.2.1"),
});

/** Like `Secrets.random`, with fractions of the range that fast-check chooses. */
const randoms = (fractions: readonly number[]) => {
  let drawn = 0;
  return (below: number) => {
    drawn += 1;
    return Math.floor((fractions[drawn % fractions.length] ?? 0) * below);
  };
};
const fractions = fc.array(fc.double({ min: 0, max: 0.999999, noNaN: true }), { minLength: 1, maxLength: 8 });

/** Tries the copy whenever it is due, `late` milliseconds later, until it is final. */
const tryUntilFinal = (
  answers: (attempt: number) => RelayAnswer,
  random: (below: number) => number,
  late: number,
) => {
  const attempts: { readonly at: number; readonly copy: Copy }[] = [];
  let copy = aCopy(MESSAGE);
  let outcomes: ReturnType<typeof Copy.after>["outcomes"] = [];
  while (copy.state === "queued") {
    const now = copy.nextAt + late;
    const settlement = Copy.after(copy, answers(attempts.length), now, random);
    outcomes = settlement.outcomes;
    copy = Copy.settle(copy, settlement);
    attempts.push({ at: now, copy });
  }
  return { attempts, copy, outcomes };
};

test("a new copy is due at once", () => {
  expect(aCopy(MESSAGE)).toMatchObject({
    state: "queued",
    attempts: 0,
    nextAt: RECEIVED,
    since: RECEIVED,
    reason: null,
    deliveredAt: null,
  });
});

test("a copy that is deferred again and again is retried after growing delays, and expires after five days", async () => {
  await fc.assert(
    fc.property(
      fc.array(problem, { minLength: 1 }),
      fractions,
      fc.nat(10 * MINUTE),
      (problems, fractions, late) => {
        const answer = (attempt: number): RelayAnswer =>
          problems[attempt % problems.length] ?? { kind: "accepted" };
        const { attempts, copy, outcomes } = tryUntilFinal(answer, randoms(fractions), late);
        const last = attempts.at(-1)?.at ?? 0;
        expect(copy).toMatchObject({ state: "expired", attempts: attempts.length, since: last });
        expect(last).toBeGreaterThanOrEqual(RECEIVED + COPY_LIFETIME);
        expect(last).toBeLessThanOrEqual(RECEIVED + COPY_LIFETIME + late);
        expect(outcomes).toEqual([{ id: `${copy.id}:bounced`, outcome: "bounced", at: last }]);
        const delays = [1, 5, 15, 30, 60, 120];
        for (const [n, { at, copy }] of attempts.slice(0, -2).entries()) {
          const { code, status } = problems[n % problems.length] ?? expect.unreachable();
          const isSilent = code === null && status === null;
          const isBrokenOff = isSilent || code === 421;
          const delay = ((isBrokenOff ? [1 / 12, ...delays] : delays)[n] ?? 240) * MINUTE;
          expect(copy.nextAt - at).toBeGreaterThanOrEqual(delay * 0.9);
          expect(copy.nextAt - at).toBeLessThanOrEqual(delay * 1.1);
          expect(copy).toMatchObject({ attempts: n + 1, since: RECEIVED });
          expect(copy.reason).toBe(isSilent ? "unreachable" : failureReason(code, status));
        }
      },
    ),
  );
});

test("the delays of different copies spread over the whole range", () => {
  const delay = (fraction: number) => {
    const deferred = { kind: "deferred", about: "copy", code: 451, status: null } as const;
    const { nextAt } = Copy.after(aCopy(MESSAGE), deferred, RECEIVED, (below) =>
      Math.floor(fraction * below),
    );
    return nextAt - RECEIVED;
  };
  expect([delay(0), delay(0.5), delay(0.999999)]).toEqual([0.9 * MINUTE, MINUTE, 1.1 * MINUTE]);
});

test("a copy that is accepted after any delays is sent, and counts as sent once", async () => {
  await fc.assert(
    fc.property(fc.array(problem, { maxLength: 20 }), fractions, (problems, fractions) => {
      const answer = (attempt: number): RelayAnswer => problems[attempt] ?? { kind: "accepted" };
      const { attempts, copy, outcomes } = tryUntilFinal(answer, randoms(fractions), 0);
      const at = attempts.at(-1)?.at;
      expect(copy).toMatchObject({ state: "sent", attempts: problems.length + 1, since: at, reason: null });
      expect(outcomes).toEqual([{ id: `${copy.id}:sent`, outcome: "sent", at }]);
    }),
  );
});

test("a copy that is refused has failed, and counts as bounced", () => {
  const refused: RelayAnswer = { kind: "refused", about: "copy", code: 550, status: "5.1.1" };
  const { attempts, copy, outcomes } = tryUntilFinal(
    () => refused,
    () => 0,
    7,
  );
  expect(attempts).toHaveLength(1);
  expect(copy).toMatchObject({
    state: "failed",
    attempts: 1,
    since: RECEIVED + 7,
    reason: "mailbox_unknown",
  });
  expect(outcomes).toEqual([{ id: `${copy.id}:bounced`, outcome: "bounced", at: RECEIVED + 7 }]);
});

test("a problem with the relay never ends a copy, and does not count as an attempt", async () => {
  await fc.assert(
    fc.property(fc.nat(100 * 24 * HOUR), fc.constantFrom(null, 421, 535, 550), (after, code) => {
      const copy = { ...aCopy(MESSAGE), attempts: 3 };
      const now = RECEIVED + after;
      const down: RelayAnswer = { kind: "deferred", about: "relay", code, status: null };
      expect(Copy.after(copy, down, now, () => 0)).toEqual({
        state: "queued",
        attempts: 3,
        nextAt: now + 5 * MINUTE,
        at: now,
        reason: "relay_unavailable",
        outcomes: [],
      });
    }),
  );
});

const REPLY: CopyPurpose = {
  kind: "reply",
  alias: FORWARD.alias,
  author: FORWARD.alias.email,
  unsubscribesFrom: null,
};

const states = fc.constantFrom<CopyState>("queued", "sent", "failed", "expired", "dropped");
const settled = fc
  .record({
    state: states,
    since: fc.nat(),
    reason: fc.constantFrom(null, "mailbox_full" as const),
    deliveredAt: fc.option(fc.nat()),
  })
  .map((fields): Copy => ({ ...aCopy(MESSAGE), ...fields }));

test("a report that a copy bounced makes it fail if it is queued or was sent, and nothing else does", async () => {
  await fc.assert(
    fc.property(settled, fc.constantFrom(...MAIL_OUTCOMES), fc.nat(), (copy, outcome, at) => {
      const after = Copy.report(copy, outcome, at, "mailbox_unknown");
      if (outcome === "bounced" && (copy.state === "queued" || copy.state === "sent")) {
        expect(after).toEqual({ ...copy, state: "failed", since: at, reason: "mailbox_unknown" });
      } else expect(after.state === "failed").toBe(copy.state === "failed");
    }),
    { numRuns: 1000 },
  );
});

test("a report that a copy has arrived makes it sent if it is queued; other reports change nothing", async () => {
  await fc.assert(
    fc.property(settled, fc.constantFrom(...MAIL_OUTCOMES), fc.nat(), (copy, outcome, at) => {
      fc.pre(outcome !== "bounced");
      const after = Copy.report(copy, outcome, at, null);
      const deliveredAt = copy.deliveredAt ?? at;
      if (outcome === "delivered" && copy.state === "queued") {
        expect(after).toEqual({ ...copy, deliveredAt, state: "sent", since: at, reason: null });
      } else if (outcome === "delivered" && copy.deliveredAt === null) {
        expect(after).toEqual({ ...copy, deliveredAt, reason: copy.state === "sent" ? null : copy.reason });
      } else expect(after).toBe(copy);
    }),
    { numRuns: 1000 },
  );
});

test("a copy that is delayed keeps its state, and says why if it was sent and is not known to have arrived", async () => {
  await fc.assert(
    fc.property(settled, fc.constantFrom(...FAILURE_REASONS), (copy, reason) => {
      const isNews = copy.state === "sent" && copy.deliveredAt === null && copy.reason !== reason;
      const after = Copy.delay(copy, reason);
      if (isNews) expect(after).toEqual({ ...copy, reason });
      else expect(after).toBe(copy);
    }),
  );
});

test("a report that a queued copy has arrived implies that it was sent, as the relay's acceptance does", async () => {
  await fc.assert(
    fc.property(settled, fc.constantFrom(...MAIL_OUTCOMES), fc.nat(), (copy, outcome, at) => {
      const isNews = copy.state === "queued" && outcome === "delivered";
      expect(Copy.implied(copy, outcome, at)).toEqual(isNews ? [Copy.outcome(copy.id, "sent", at)] : []);
      const reply = { ...copy, purpose: REPLY };
      expect(Copy.implied(reply, outcome, at)).toEqual(isNews ? [Copy.outcome(copy.id, "replied", at)] : []);
    }),
  );
});

test("a copy that was accepted and bounced has failed, whichever becomes known first, and both count", async () => {
  const purposes = fc.constantFrom<CopyPurpose>(FORWARD, REPLY, NOTICE, POSTMASTER);
  await fc.assert(
    fc.property(purposes, fc.nat(5), fc.nat(), fc.nat(), (purpose, attempts, acceptedAt, bouncedAt) => {
      const queued = { ...aCopy(MESSAGE, { purpose }), attempts };
      const accepted = Copy.after(queued, { kind: "accepted" }, acceptedAt, () => 0);
      const report = (copy: Copy) => Copy.report(copy, "bounced", bouncedAt, "mailbox_full");
      const failed = { state: "failed", since: bouncedAt, reason: "mailbox_full" };
      expect(report(Copy.settle(queued, accepted))).toMatchObject(failed);
      expect(Copy.counted(queued, accepted)).toEqual(accepted.outcomes);
      expect(report(queued)).toMatchObject(failed);
      expect(Copy.counted(report(queued), accepted)).toEqual(accepted.outcomes);
    }),
  );
});

test("an attempt counts for a queued copy; later, only the relay's acceptance of a copy that was reported on does", async () => {
  const answer = fc.constantFrom<RelayAnswer>(
    { kind: "accepted" },
    { kind: "refused", about: "copy", code: 550, status: null },
  );
  await fc.assert(
    fc.property(settled, answer, fc.constantFrom(FORWARD, VERIFICATION), ({ state }, answer, purpose) => {
      const settlement = Copy.after(aCopy(MESSAGE, { purpose }), answer, RECEIVED, () => 0);
      const wasReported = state === "sent" || (state === "failed" && purpose === FORWARD);
      const isLate = wasReported && answer.kind === "accepted";
      const expected = state === "queued" || isLate ? settlement.outcomes : [];
      expect(Copy.counted({ state, purpose }, settlement)).toEqual(expected);
    }),
  );
});

test("a final copy that is tried again is like a new one; a queued copy only becomes due at once", async () => {
  await fc.assert(
    fc.property(settled, fc.nat(), (copy, now) => {
      const asNew = { since: now, reason: null, deliveredAt: null };
      expect(Copy.retry(copy, now)).toEqual({
        ...copy,
        ...(copy.state !== "queued" && asNew),
        state: "queued",
        nextAt: now,
      });
    }),
  );
});

test("a copy that is given up remembers what went wrong", async () => {
  await fc.assert(
    fc.property(settled, fc.nat(), (copy, now) => {
      expect(Copy.drop(copy, now)).toEqual({ ...copy, state: "dropped", since: now });
    }),
  );
});

test("the outcomes of copies without an alias are not counted", () => {
  const refused: RelayAnswer = { kind: "refused", about: "copy", code: 550, status: null };
  for (const purpose of [NOTICE, POSTMASTER]) {
    for (const answer of [{ kind: "accepted" } as const, refused]) {
      const copy = aCopy(MESSAGE, { purpose });
      expect(Copy.after(copy, answer, RECEIVED, () => 0).outcomes).toEqual([]);
    }
  }
});

test("an outcome goes to the alias, or to the recipient being verified; notices and mail to the operator have none to report", () => {
  const event = Copy.outcome(aCopy(MESSAGE).id, "bounced", 7);
  expect(Copy.uncounted({ purpose: FORWARD, state: "failed" }, event)).toEqual({
    alias: FORWARD.alias,
    event,
  });
  for (const state of ["failed", "expired"] as const) {
    expect(Copy.uncounted({ purpose: VERIFICATION, state }, event)).toEqual({
      verification: VERIFICATION,
      expired: state === "expired",
      event,
    });
  }
  for (const purpose of [NOTICE, POSTMASTER, REPLY]) {
    expect(Copy.uncounted({ purpose, state: "failed" }, event)).toBeNull();
  }
});

test("for a reply, only that it was sent is counted for its alias", () => {
  const event = Copy.outcome(aCopy(MESSAGE).id, "replied", 7);
  expect(Copy.uncounted({ purpose: REPLY, state: "sent" }, event)).toEqual({ alias: FORWARD.alias, event });
});

test("the ids of outcomes are valid event ids", () => {
  const { id } = Copy.outcome(aCopy(MESSAGE).id, "complaint", 0);
  expect(valueOf(parseEventId(id))).toBe(id);
});
