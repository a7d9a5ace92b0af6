import { type CopyId, ok, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy, type OwnMailing, type Spool, type UncountedOutcome } from "@postern/mail";
import { receive } from "../../../src/spool/spool-samples.ts";
import {
  after,
  answering,
  before,
  calling,
  changingSecond,
  finding,
  ignoring,
  ignoringIf,
  isNew,
} from "../faults.ts";
import type { Changes } from "../intercepted.ts";
import { ALL, type BrokenSpool, copyOf, flaw, flawsBy, MODEL, taking } from "./broken-spool.ts";

const FINAL = "a final copy stays as it is, and its outcome is counted once, even by concurrent callers";
const EACH_ONCE =
  "an outcome counts once, whether it comes from the relay, from reports, or from both at the same time";
const NO_ALIAS = "outcomes of copies without an alias are remembered, but there is nothing to count them for";
const LISTED = "outcomes are listed in the order in which they were stored, until they have been counted";
const VERIFICATION =
  "outcomes of verification messages come with the link they are about, and whether they expired";
const BOUNCES_AGAIN =
  "a copy that bounces again after it was sent again has failed, counts once, and can bring about the notice";
const EITHER_FIRST =
  "a copy that the relay accepted and that bounced has failed, whichever becomes known first, and both count once";
const ARRIVED_FIRST =
  "a copy that arrived before it was settled was sent, and both count once, even if its attempt is settled later";
const SENT_AFTER_BOUNCE =
  "a copy that bounced before it was settled can be sent again, and fails only if it bounces again";
const ONE_ATTEMPT =
  "a copy is not handed out again during an attempt, even if it bounced or was dropped, and was queued again";
const VERIFICATION_BOUNCED =
  "once a verification message has bounced, its recipient is not told that it was sent";
const NOTICE = "a notice is kept when the last copy for an alias has failed, once, and not otherwise";
const GIVEN_UP = "a notice is kept even if copies for the alias were given up, unless all of them were";
const ONE_NOTICE = "if copies fail at the same time, one of them brings about the notice";
const ALTHOUGH_FULL = "a notice is kept although the limit is reached";
const REPLY = "a reply is counted when it is sent, and no other outcome of it is";
const REPLY_NOTICE = "each reply that fails has a notice, whatever becomes of others";

const keepNotice = async (spool: Spool, notice: OwnMailing): Promise<void> =>
  valueOf(await spool.keep({ ...notice, body: await receive(spool, notice.body) }));

/** All copies of the copy's message. */
const siblingsOf = async (spool: Spool, id: CopyId): Promise<readonly Copy[]> => {
  const copy = await copyOf(spool, id);
  return copy === undefined ? [] : valueOf(await spool.findAll(copy.message));
};

/** Lists outcomes that are to be counted in another way. */
const uncounted = (change: (all: readonly UncountedOutcome[]) => readonly UncountedOutcome[]) =>
  ({
    uncounted: async (read, limit) => (await read(ALL)).map((all) => change(all).slice(0, limit)),
  }) satisfies Changes<Spool>;

const listed = flawsBy(uncounted);

/** Ends the attempt of a final copy: its settlement changes nothing else. */
const release = async (spool: Spool, id: CopyId): Promise<void> => {
  const copy = await copyOf(spool, id);
  if (copy === undefined || copy.state === "queued") return;
  const { attempts, nextAt, reason } = copy;
  const settlement = { state: "queued", attempts, nextAt, reason, at: nextAt, outcomes: [] } as const;
  valueOf(await spool.settle(id, settlement, null));
};

export const brokenOutcomes: readonly BrokenSpool[] = [
  listed("replies are not counted", [REPLY, MODEL], (all) =>
    all.filter(({ event }) => event.outcome !== "replied"),
  ),
  flaw("what becomes of a reply is counted", [REPLY, MODEL], (spool) => {
    const late: UncountedOutcome[] = [];
    return {
      ...uncounted((all) => [...all, ...late]),
      report: answering(async (reported, id, outcome, at) => {
        const purpose = (await copyOf(spool, id))?.purpose;
        if (purpose?.kind === "reply" && reported === "recorded") {
          late.push({ alias: purpose.alias, event: Copy.outcome(id, outcome, at) });
        }
        return reported;
      }),
    };
  }),
  flaw("the author of replies gets a notice only if all of them failed", [REPLY_NOTICE, MODEL], (spool) => {
    const wanted = async (id: CopyId, notice: OwnMailing | null): Promise<OwnMailing | null> => {
      const copies = await siblingsOf(spool, id);
      if (copies.find((copy) => copy.id === id)?.purpose.kind !== "reply") return notice;
      const isLeft = ({ purpose, state }: Copy) => purpose.kind === "reply" && !/failed|expired/.test(state);
      return copies.some((copy) => copy.id !== id && isLeft(copy)) ? null : notice;
    };
    return {
      settle: calling(async (id, settlement, notice) => [id, settlement, await wanted(id, notice)]),
      report: calling(async (id, outcome, at, reason, notice) => [
        id,
        outcome,
        at,
        reason,
        await wanted(id, notice),
      ]),
    };
  }),
  flaw("a final copy can be settled again", [FINAL, MODEL], (spool) => {
    const settled = new Map<string, Copy>();
    return {
      settle: async (settle, id, settlement, notice) => {
        const copy = await copyOf(spool, id);
        const done = await settle(id, settlement, notice);
        if (copy !== undefined && copy.state !== "queued") settled.set(id, Copy.settle(copy, settlement));
        return done;
      },
      find: finding(({ copy, message }) => ({ copy: settled.get(copy.id) ?? copy, message })),
    };
  }),
  listed("outcomes of verification messages are not listed", [VERIFICATION, MODEL], (all) =>
    all.filter((each) => "alias" in each),
  ),
  listed("verification messages that expired are said to be refused", [VERIFICATION], (all) =>
    all.map((each) => ("alias" in each ? each : { ...each, expired: false })),
  ),
  flaw("reports have event ids of their own", [EACH_ONCE, MODEL], {
    settle: changingSecond((settlement) => ({
      ...settlement,
      outcomes: settlement.outcomes.map((event) => ({
        ...event,
        id: valueOf(parseEventId(`relay:${event.id}`)),
      })),
    })),
  }),
  flaw("a report that is repeated is recorded again", [EACH_ONCE, NO_ALIAS, LISTED, MODEL], {
    report: answering((reported) => (reported === "duplicate" ? "recorded" : reported)),
  }),
  flaw("a copy that bounced later stays sent", [EACH_ONCE, MODEL], (_, seen) => ({
    settle: before((id, { state }) => state === "sent" && seen.add(id)),
    find: finding(({ copy, message }) => ({
      copy: copy.state === "failed" && seen.has(copy.id) ? { ...copy, state: "sent" } : copy,
      message,
    })),
  })),
  flaw("a bounce that is known changes nothing", [BOUNCES_AGAIN, MODEL], (_, seen) => ({
    settle: before((_id, { outcomes }) => {
      for (const { id } of outcomes) seen.add(id);
    }),
    report: async (report, id, outcome, at, reason, notice) =>
      outcome === "bounced" && !isNew(seen, Copy.outcome(id, outcome, at).id)
        ? ok("duplicate")
        : report(id, outcome, at, reason, notice),
  })),
  flaw(
    "a copy that bounces before it is settled is sent nevertheless",
    [EITHER_FIRST, SENT_AFTER_BOUNCE, VERIFICATION_BOUNCED, MODEL],
    (spool) => ({
      report: async (report, id, outcome, at, reason, notice) => {
        const isQueued = (await copyOf(spool, id))?.state === "queued";
        if (!isQueued || outcome !== "bounced") return report(id, outcome, at, reason, notice);
        const reported = await report(id, outcome, at, reason, null);
        await spool.retry(id, at);
        return reported;
      },
    }),
  ),
  flaw("a copy that bounces before it is settled does not count as sent", [EITHER_FIRST, MODEL], (spool) => ({
    settle: ignoringIf(async (id) => (await copyOf(spool, id))?.state !== "queued"),
  })),
  flaw(
    "a copy that arrives before it is settled does not count as sent",
    [ARRIVED_FIRST, MODEL],
    (spool, seen) => ({
      ...uncounted((all) => all.filter(({ event }) => !seen.has(event.id))),
      report: before(async (id, outcome, at) => {
        const copy = await copyOf(spool, id);
        for (const event of copy === undefined ? [] : Copy.implied(copy, outcome, at)) seen.add(event.id);
      }),
    }),
  ),
  flaw("a copy that ever bounced fails once it is sent", [SENT_AFTER_BOUNCE], (spool, seen) => ({
    report: before((id, outcome) => outcome === "bounced" && seen.add(id)),
    settle: after(async (id, { state, at }) => {
      if (state === "sent" && seen.has(id)) await spool.report(id, "bounced", at, null, null);
    }),
  })),
  flaw(
    "a copy that bounces while it is handed out is not handed out again",
    [SENT_AFTER_BOUNCE],
    (_, seen) => {
      const handedOut = new Set<string>();
      return {
        take: taking((copies) => {
          for (const { copy } of copies) handedOut.add(copy.id);
          return copies.filter(({ copy }) => !seen.has(copy.id));
        }),
        settle: before((id) => handedOut.delete(id)),
        report: before((id, outcome) => outcome === "bounced" && handedOut.has(id) && seen.add(id)),
      };
    },
  ),
  flaw("the attempt of a copy ends with report", [ONE_ATTEMPT], (spool) => ({
    report: after((id) => release(spool, id)),
  })),
  flaw("the attempt of a copy ends with drop", [ONE_ATTEMPT], (spool) => ({
    drop: after((id) => release(spool, id)),
  })),
  flaw(
    "a verification message that bounced is recorded as sent afterwards",
    [VERIFICATION_BOUNCED, MODEL],
    (spool) => {
      const late: UncountedOutcome[] = [];
      return {
        ...uncounted((all) => [...all, ...late]),
        settle: before(async (id, { outcomes }) => {
          const copy = await copyOf(spool, id);
          if (copy?.state !== "failed" || copy.purpose.kind !== "verification") return;
          for (const event of outcomes) late.push({ verification: copy.purpose, expired: false, event });
        }),
      };
    },
  ),
  flaw("a report about an unknown copy is recorded", [EACH_ONCE, MODEL], {
    report: answering((reported) => (reported === "unknown" ? "recorded" : reported)),
  }),
  flaw("outcomes of copies without an alias are duplicates at once", [NO_ALIAS, MODEL], (spool) => ({
    report: answering(async (reported, id) => {
      const copy = await copyOf(spool, id);
      return copy !== undefined && copy.purpose.kind !== "forward" ? "duplicate" : reported;
    }),
  })),
  listed("outcomes are listed newest first", [LISTED, MODEL], (all) => all.toReversed()),
  listed("outcomes are listed by the time at which they happened", [LISTED], (all) =>
    all.toSorted((one, other) => one.event.at - other.event.at),
  ),
  flaw("what has been counted is listed again", [LISTED, MODEL], { counted: ignoring }),
  flaw("the notice is kept as soon as one copy has failed", [NOTICE, ONE_NOTICE, MODEL], (spool) => ({
    settle: before(async (id, { state }, notice) => {
      const wasQueued = (await copyOf(spool, id))?.state === "queued";
      if (notice !== null && wasQueued && state !== "queued") await keepNotice(spool, notice);
    }),
  })),
  flaw("no notice is ever kept", [NOTICE, ONE_NOTICE, MODEL], {
    settle: (settle, id, settlement) => settle(id, settlement, null),
  }),
  flaw("a copy that was given up keeps the notice from being kept", [GIVEN_UP, MODEL], (spool) => ({
    settle: async (settle, id, settlement, notice) => {
      const states = [...(await siblingsOf(spool, id)), settlement].map(({ state }) => state);
      return settle(id, settlement, states.includes("dropped") ? null : notice);
    },
  })),
  flaw("copies that were all given up bring about a notice", [GIVEN_UP], (spool) => ({
    settle: async (settle, id, settlement, notice) => {
      const settled = await settle(id, settlement, null);
      if (notice === null) return settled;
      const isLeft = (await siblingsOf(spool, id)).some(({ state }) => state !== "dropped");
      if (isLeft) return settle(id, settlement, notice);
      await keepNotice(spool, notice);
      return settled;
    },
  })),
  flaw("reports bring about no notice", [NOTICE, MODEL], {
    report: (report, id, outcome, at, reason) => report(id, outcome, at, reason, null),
  }),
  flaw("a notice is refused when the limit is reached", [ALTHOUGH_FULL], (spool, _, limit) => ({
    settle: async (settle, id, settlement, notice) =>
      settle(id, settlement, valueOf(await spool.size()).bytes >= limit ? null : notice),
  })),
  flaw("the outcomes of an attempt are not counted", [FINAL, EACH_ONCE, MODEL], {
    settle: changingSecond((settlement) => ({ ...settlement, outcomes: [] })),
  }),
  flaw("a report has the time at which the copy was kept", [MODEL], (spool) => ({
    report: async (report, id, outcome, at, reason, notice) => {
      const found = valueOf(await spool.find(id));
      return report(id, outcome, found?.message.createdAt ?? at, reason, notice);
    },
  })),
];
