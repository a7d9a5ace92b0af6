import { type CopyId, ok, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Copy, type OwnMailing, type Spool, type UncountedOutcome } from "@postern/mail";
import { receive } from "../../../src/spool/spool-samples.ts";
import { type BrokenSpool, MODEL, spool } from "./broken-spool.ts";

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

const REPLY = "a reply is counted when it is sent, and no other outcome of it is";
const REPLY_NOTICE = "each reply that fails has a notice, whatever becomes of others";

const keepNotice = async (real: Spool, notice: OwnMailing): Promise<void> =>
  valueOf(await real.keep({ ...notice, body: await receive(real, notice.body) }));

export const brokenOutcomes: readonly BrokenSpool[] = [
  {
    flaw: "replies are not counted",
    noticedBy: [REPLY, MODEL],
    open: spool((real) => ({
      uncounted: async (limit) =>
        (await real.uncounted(limit)).map((uncounted) =>
          uncounted.filter(({ event }) => event.outcome !== "replied"),
        ),
    })),
  },
  {
    flaw: "what becomes of a reply is counted",
    noticedBy: [REPLY, MODEL],
    open: spool((real) => {
      const late: UncountedOutcome[] = [];
      return {
        report: async (id, outcome, at, reason, ifNoneLeft) => {
          const purpose = valueOf(await real.find(id))?.copy.purpose;
          const reported = await real.report(id, outcome, at, reason, ifNoneLeft);
          if (purpose?.kind === "reply" && reported.isOk() && reported.value === "recorded") {
            late.push({ alias: purpose.alias, event: Copy.outcome(id, outcome, at) });
          }
          return reported;
        },
        uncounted: async (limit) => (await real.uncounted(limit)).map((uncounted) => [...uncounted, ...late]),
      };
    }),
  },
  {
    flaw: "the author of replies gets a notice only if all of them failed",
    noticedBy: [REPLY_NOTICE, MODEL],
    open: spool((real) => {
      const isLeft = async (id: CopyId): Promise<boolean> => {
        const copy = valueOf(await real.find(id))?.copy;
        if (copy?.purpose.kind !== "reply") return false;
        const others = valueOf(await real.findAll(copy.message)).filter((other) => other.id !== id);
        return others.some(({ purpose, state }) => purpose.kind === "reply" && !/failed|expired/.test(state));
      };
      const kept = async (id: CopyId, notice: OwnMailing | null) => ((await isLeft(id)) ? null : notice);
      return {
        settle: async (id, settlement, ifNoneLeft) => real.settle(id, settlement, await kept(id, ifNoneLeft)),
        report: async (id, outcome, at, reason, ifNoneLeft) =>
          real.report(id, outcome, at, reason, await kept(id, ifNoneLeft)),
      };
    }),
  },
  {
    flaw: "a final copy can be settled again",
    noticedBy: [FINAL, MODEL],
    open: spool((real) => {
      const settled = new Map<string, Copy>();
      return {
        settle: async (id, settlement, ifNoneLeft) => {
          const before = await real.find(id);
          const done = await real.settle(id, settlement, ifNoneLeft);
          if (before.isOk() && before.value !== null && before.value.copy.state !== "queued") {
            settled.set(id, Copy.settle(before.value.copy, settlement));
          }
          return done;
        },
        find: async (id) =>
          (await real.find(id)).map((found) => found && { ...found, copy: settled.get(id) ?? found.copy }),
      };
    }),
  },
  {
    flaw: "outcomes of verification messages are not listed",
    noticedBy: [VERIFICATION, MODEL],
    open: spool((real) => ({
      uncounted: async (limit) =>
        (await real.uncounted(limit)).map((uncounted) => uncounted.filter((each) => "alias" in each)),
    })),
  },
  {
    flaw: "verification messages that expired are said to be refused",
    noticedBy: [VERIFICATION],
    open: spool((real) => ({
      uncounted: async (limit) =>
        (await real.uncounted(limit)).map((uncounted) =>
          uncounted.map((each) => ("alias" in each ? each : { ...each, expired: false })),
        ),
    })),
  },
  {
    flaw: "reports have event ids of their own",
    noticedBy: [EACH_ONCE, MODEL],
    open: spool((real) => ({
      settle: (id, settlement, ifNoneLeft) =>
        real.settle(
          id,
          {
            ...settlement,
            outcomes: settlement.outcomes.map((event) => ({
              ...event,
              id: valueOf(parseEventId(`relay:${event.id}`)),
            })),
          },
          ifNoneLeft,
        ),
    })),
  },
  {
    flaw: "a report that is repeated is recorded again",
    noticedBy: [EACH_ONCE, NO_ALIAS, LISTED, MODEL],
    open: spool((real) => ({
      report: async (...args) =>
        (await real.report(...args)).map((reported) => (reported === "duplicate" ? "recorded" : reported)),
    })),
  },
  {
    flaw: "a copy that bounced later stays sent",
    noticedBy: [EACH_ONCE, MODEL],
    open: spool((real) => {
      const sent = new Set<string>();
      return {
        settle: async (id, settlement, ifNoneLeft) => {
          if (settlement.state === "sent") sent.add(id);
          return real.settle(id, settlement, ifNoneLeft);
        },
        find: async (id) =>
          (await real.find(id)).map((found) =>
            found?.copy.state === "failed" && sent.has(id)
              ? { ...found, copy: { ...found.copy, state: "sent" } }
              : found,
          ),
      };
    }),
  },
  {
    flaw: "a bounce that is known changes nothing",
    noticedBy: [BOUNCES_AGAIN, MODEL],
    open: spool((real) => {
      const bounced = new Set<string>();
      return {
        settle: async (id, settlement, ifNoneLeft) => {
          for (const event of settlement.outcomes) bounced.add(event.id);
          return real.settle(id, settlement, ifNoneLeft);
        },
        report: async (id, outcome, at, reason, ifNoneLeft) => {
          const event = Copy.outcome(id, outcome, at).id;
          if (outcome !== "bounced" || !bounced.has(event)) {
            bounced.add(event);
            return real.report(id, outcome, at, reason, ifNoneLeft);
          }
          return ok("duplicate");
        },
      };
    }),
  },
  {
    flaw: "a copy that bounces before it is settled is sent nevertheless",
    noticedBy: [EITHER_FIRST, SENT_AFTER_BOUNCE, VERIFICATION_BOUNCED, MODEL],
    open: spool((real) => ({
      report: async (id, outcome, at, reason, ifNoneLeft) => {
        const isQueued = valueOf(await real.find(id))?.copy.state === "queued";
        if (!isQueued || outcome !== "bounced") return real.report(id, outcome, at, reason, ifNoneLeft);
        const reported = await real.report(id, outcome, at, reason, null);
        await real.retry(id, at);
        return reported;
      },
    })),
  },
  {
    flaw: "a copy that bounces before it is settled does not count as sent",
    noticedBy: [EITHER_FIRST, MODEL],
    open: spool((real) => ({
      settle: async (id, settlement, ifNoneLeft) => {
        if (valueOf(await real.find(id))?.copy.state === "queued")
          return real.settle(id, settlement, ifNoneLeft);
        return ok();
      },
    })),
  },
  {
    flaw: "a copy that arrives before it is settled does not count as sent",
    noticedBy: [ARRIVED_FIRST, MODEL],
    open: spool((real) => {
      const uncounted = new Set<string>();
      return {
        report: async (id, outcome, at, ...args) => {
          const copy = valueOf(await real.find(id))?.copy;
          const implied = copy === undefined ? [] : Copy.implied(copy, outcome, at);
          for (const event of implied) uncounted.add(event.id);
          return real.report(id, outcome, at, ...args);
        },
        uncounted: async (limit) =>
          (await real.uncounted(limit)).map((all) => all.filter(({ event }) => !uncounted.has(event.id))),
      };
    }),
  },
  {
    flaw: "a copy that ever bounced fails once it is sent",
    noticedBy: [SENT_AFTER_BOUNCE],
    open: spool((real) => {
      const bounced = new Set<string>();
      return {
        report: async (id, outcome, ...args) => {
          if (outcome === "bounced") bounced.add(id);
          return real.report(id, outcome, ...args);
        },
        settle: async (id, settlement, ifNoneLeft) => {
          const settled = await real.settle(id, settlement, ifNoneLeft);
          if (settlement.state === "sent" && bounced.has(id))
            await real.report(id, "bounced", settlement.at, null, null);
          return settled;
        },
      };
    }),
  },
  {
    flaw: "a copy that bounces while it is handed out is not handed out again",
    noticedBy: [SENT_AFTER_BOUNCE],
    open: spool((real) => {
      const handedOut = new Set<string>();
      const lost = new Set<string>();
      return {
        take: async (...input) =>
          (await real.take(...input)).map(({ copies, more }) => {
            for (const { copy } of copies) handedOut.add(copy.id);
            return { copies: copies.filter(({ copy }) => !lost.has(copy.id)), more };
          }),
        settle: async (id, ...args) => {
          handedOut.delete(id);
          return real.settle(id, ...args);
        },
        report: async (id, outcome, ...args) => {
          if (outcome === "bounced" && handedOut.has(id)) lost.add(id);
          return real.report(id, outcome, ...args);
        },
      };
    }),
  },
  ...(["report", "drop"] as const).map(
    (name): BrokenSpool => ({
      flaw: `the attempt of a copy ends with ${name}`,
      noticedBy: [ONE_ATTEMPT],
      open: spool((real) => {
        /** Ends the attempt: a settlement changes nothing else of a final copy. */
        const release = async (id: CopyId) => {
          const copy = valueOf(await real.find(id))?.copy;
          if (copy === undefined || copy.state === "queued") return;
          const { attempts, nextAt, reason } = copy;
          const settlement = { state: "queued", attempts, nextAt, reason, at: nextAt, outcomes: [] } as const;
          valueOf(await real.settle(id, settlement, null));
        };
        return {
          report: async (id, ...args) => {
            const reported = await real.report(id, ...args);
            if (name === "report") await release(id);
            return reported;
          },
          drop: async (id, now) => {
            const dropped = await real.drop(id, now);
            if (name === "drop") await release(id);
            return dropped;
          },
        };
      }),
    }),
  ),
  {
    flaw: "a verification message that bounced is recorded as sent afterwards",
    noticedBy: [VERIFICATION_BOUNCED, MODEL],
    open: spool((real) => {
      const late: UncountedOutcome[] = [];
      return {
        settle: async (id, settlement, ifNoneLeft) => {
          const copy = valueOf(await real.find(id))?.copy;
          if (copy?.state === "failed" && copy.purpose.kind === "verification")
            for (const event of settlement.outcomes)
              late.push({ verification: copy.purpose, expired: false, event });
          return real.settle(id, settlement, ifNoneLeft);
        },
        uncounted: async (limit) => (await real.uncounted(limit)).map((uncounted) => [...uncounted, ...late]),
      };
    }),
  },
  {
    flaw: "a report about an unknown copy is recorded",
    noticedBy: [EACH_ONCE, MODEL],
    open: spool((real) => ({
      report: async (...args) =>
        (await real.report(...args)).map((reported) => (reported === "unknown" ? "recorded" : reported)),
    })),
  },
  {
    flaw: "outcomes of copies without an alias are duplicates at once",
    noticedBy: [NO_ALIAS, MODEL],
    open: spool((real) => ({
      report: async (id, ...args) => {
        const found = await real.find(id);
        const reported = await real.report(id, ...args);
        return found.isOk() && found.value !== null && found.value.copy.purpose.kind !== "forward"
          ? ok("duplicate")
          : reported;
      },
    })),
  },
  {
    flaw: "outcomes are listed newest first",
    noticedBy: [LISTED, MODEL],
    open: spool((real) => ({
      uncounted: async (limit) =>
        (await real.uncounted(10_000)).map((all) => all.toReversed().slice(0, limit)),
    })),
  },
  {
    flaw: "outcomes are listed by the time at which they happened",
    noticedBy: [LISTED],
    open: spool((real) => ({
      uncounted: async (limit) =>
        (await real.uncounted(10_000)).map((all) =>
          [...all].sort((one, other) => one.event.at - other.event.at).slice(0, limit),
        ),
    })),
  },
  {
    flaw: "what has been counted is listed again",
    noticedBy: [LISTED, MODEL],
    open: spool(() => ({ counted: async () => ok() })),
  },
  {
    flaw: "the notice is kept as soon as one copy has failed",
    noticedBy: [NOTICE, ONE_NOTICE, MODEL],
    open: spool((real) => ({
      settle: async (id, settlement, ifNoneLeft) => {
        const before = await real.find(id);
        const wasQueued = before.isOk() && before.value?.copy.state === "queued";
        if (ifNoneLeft !== null && wasQueued && settlement.state !== "queued")
          await keepNotice(real, ifNoneLeft);
        return real.settle(id, settlement, ifNoneLeft);
      },
    })),
  },
  {
    flaw: "no notice is ever kept",
    noticedBy: [NOTICE, ONE_NOTICE, MODEL],
    open: spool((real) => ({
      settle: (id, settlement) => real.settle(id, settlement, null),
    })),
  },
  {
    flaw: "a copy that was given up keeps the notice from being kept",
    noticedBy: [GIVEN_UP, MODEL],
    open: spool((real) => ({
      settle: async (id, settlement, ifNoneLeft) => {
        const message = valueOf(await real.find(id))?.copy.message;
        const all = message === undefined ? [] : valueOf(await real.findAll(message));
        const isOneGivenUp = all.some(({ state }) => state === "dropped") || settlement.state === "dropped";
        return real.settle(id, settlement, isOneGivenUp ? null : ifNoneLeft);
      },
    })),
  },
  {
    flaw: "copies that were all given up bring about a notice",
    noticedBy: [GIVEN_UP],
    open: spool((real) => ({
      settle: async (id, settlement, ifNoneLeft) => {
        const message = valueOf(await real.find(id))?.copy.message;
        const settled = await real.settle(id, settlement, null);
        const all = message === undefined ? [] : valueOf(await real.findAll(message));
        if (ifNoneLeft === null) return settled;
        if (all.every(({ state }) => state === "dropped")) {
          await keepNotice(real, ifNoneLeft);
          return settled;
        }
        return real.settle(id, settlement, ifNoneLeft);
      },
    })),
  },
  {
    flaw: "reports bring about no notice",
    noticedBy: [NOTICE, MODEL],
    open: spool((real) => ({
      report: (id, outcome, at, reason) => real.report(id, outcome, at, reason, null),
    })),
  },
  {
    flaw: "a notice is refused when the limit is reached",
    noticedBy: ["a notice is kept although the limit is reached"],
    open: async ({ limit }) => {
      const opened = await spool(() => ({}))({ limit });
      const real = opened.spool;
      return {
        ...opened,
        spool: {
          ...real,
          settle: async (id, settlement, ifNoneLeft) => {
            const size = await real.size();
            const isFull = size.isOk() && size.value.bytes >= limit;
            return real.settle(id, settlement, isFull ? null : ifNoneLeft);
          },
        },
      };
    },
  },
  {
    flaw: "the outcomes of an attempt are not counted",
    noticedBy: [FINAL, EACH_ONCE, MODEL],
    open: spool((real) => ({
      settle: (id, settlement, ifNoneLeft) => real.settle(id, { ...settlement, outcomes: [] }, ifNoneLeft),
    })),
  },
  {
    flaw: "a report has the time at which the copy was kept",
    noticedBy: [MODEL],
    open: spool((real) => ({
      report: async (id, outcome, at, reason, ifNoneLeft) => {
        const found = await real.find(id);
        const createdAt = found.isOk() ? found.value?.message.createdAt : undefined;
        return real.report(id, outcome, createdAt ?? at, reason, ifNoneLeft);
      },
    })),
  },
];
