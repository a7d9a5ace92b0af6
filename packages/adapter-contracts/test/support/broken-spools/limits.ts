import { err, FAILED_BODY_RETENTION, ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  accountOf,
  type Copy,
  MAIL_RETENTION,
  rememberedHeader,
  type Spool,
  spoolOctets,
} from "@postern/mail";
import { DAY, inChunks, readBody } from "../../../src/spool/spool-samples.ts";
import { afterFailure, answering, before, changingFirst, failingIf, finding } from "../faults.ts";
import {
  ALL,
  type BrokenSpool,
  flaw,
  limitedTo,
  MODEL,
  taking,
  wholeOf,
  withoutBody,
} from "./broken-spool.ts";

const LIMIT = "the spool never exceeds its limit, and keeps nothing of what does not fit";
const SHARED = "bodies that arrive at the same time share the limit";
const EARLY = "a body that does not fit is refused while it arrives, and the spool asks for no more of it";
const EVICTION =
  "bodies that nobody waits for are evicted for others: first those without a failed copy, then those that failed earliest";
const A_QUARTER = "sweeping leaves a quarter of the limit for waiting mail, as far as bodies can be evicted";
const ROOM_FOR_KEPT = "keeping a message evicts bodies that no copy is waiting for";
const AGAIN =
  "the body of a message for or from an alias is kept for 7 days after the last of its copies has failed";
const NO_ALIAS = "bodies of messages that belong to no alias are forgotten even if they failed";
const BODIES = "bodies are forgotten once no copy is queued, and not before";
const HEADERS = "of a finished message's header, only what a notice needs is remembered";
const REMEMBERED = "messages are remembered for 35 days, and until their outcomes have been counted";
const OLD = "queued copies are remembered however old they are";
const AHEAD = "copies that would wait for longer than any delay are made due by sweeping";
const MORE = "sweeping reports that there is more to do until all of many messages are forgotten";
const DISCARDED = "a discarded body is gone, and cannot be kept";

const SHARES =
  "however much mail waits, whatever becomes of it, an account has room as long as it is within its share";
const HISTORY =
  "if too much is remembered of finished messages, the oldest are forgotten, except those that have to be counted";
const DROP_ALL = "all queued copies of an account are dropped, a bounded number in a call";

const queuedIn = async (spool: Spool): Promise<readonly Copy[]> =>
  valueOf(await spool.list({ limit: 1_000, after: null })).items;

const bytesIn = async (spool: Spool): Promise<number> => valueOf(await spool.size()).bytes;

export const brokenLimits: readonly BrokenSpool[] = [
  flaw("every account always has room", [SHARES], { hasRoom: async () => ok(true) }),
  flaw("no account has room once half of the limit is taken up", [SHARES], (spool, _, limit) => ({
    hasRoom: answering(async (hasRoom) => hasRoom && (await bytesIn(spool)) <= limit / 2),
  })),
  flaw("mail that belongs to no account always has room", [SHARES], {
    hasRoom: answering((hasRoom, account) => hasRoom || account === ""),
  }),
  limitedTo("shares are twice as large as they should be", [SHARES], (limit) => limit * 2),
  limitedTo(
    "as much as half of the limit is remembered of finished messages",
    [HISTORY],
    (limit) => limit * 2,
  ),
  flaw("messages are forgotten early before their outcomes have been counted", [HISTORY], (spool) => ({
    sweep: before(async () => {
      const uncounted = valueOf(await spool.uncounted(ALL));
      await spool.counted(uncounted.map(({ event }) => event.id));
    }),
  })),
  flaw("no account is named as one of the largest", [SHARES], { largest: async () => ok([]) }),
  flaw("the smallest accounts come first", [SHARES], {
    largest: answering((largest) => largest.toReversed()),
  }),
  flaw("the copies of all accounts are dropped", [DROP_ALL], (spool) => ({
    dropAll: before(async (_, now) => {
      for (const { id } of await queuedIn(spool)) await spool.drop(id, now);
    }),
  })),
  flaw("one copy of an account is dropped in a call", [DROP_ALL], (spool) => ({
    dropAll: async (_, account, now) => {
      const first = (await queuedIn(spool)).find((copy) => accountOf(copy) === account);
      if (first !== undefined) await spool.drop(first.id, now);
      return ok(first === undefined ? 0 : 1);
    },
  })),
  limitedTo("the limit is twice what it should be", [LIMIT, EARLY, SHARED], (limit) => limit * 2),
  flaw("a message that does not fit is unavailable", [LIMIT], {
    keep: async (keep, mailing) => (await keep(mailing)).mapErr(() => ({ code: "unavailable" })),
  }),
  flaw("a body is read to its end before it is refused", [EARLY], {
    receive: changingFirst(async (chunks) => inChunks(await wholeOf(chunks))),
  }),
  flaw("something is left of a body that is refused", [LIMIT, EARLY], () => {
    let left = 0;
    return {
      receive: afterFailure(() => {
        left += 1;
      }),
      size: answering((size) => ({ ...size, bytes: size.bytes + left })),
    };
  }),
  flaw("bodies are forgotten before they are sent", [BODIES, OLD, MODEL], (_, seen) => ({
    sweep: before(() => seen.add("a sweep")),
    take: taking((copies) => (seen.size > 0 ? copies.map(withoutBody) : copies)),
  })),
  flaw("bodies are never forgotten", [BODIES, LIMIT, AGAIN, NO_ALIAS, REMEMBERED, MORE, MODEL], {
    sweep: async () => ok(false),
  }),
  flaw("copies that were deferred by a clock that was ahead stay deferred", [AHEAD], (spool) => ({
    sweep: async (sweep, now) => {
      const queued = await queuedIn(spool);
      const swept = await sweep(now);
      for (const { id, state, attempts, nextAt, reason } of queued) {
        const found = valueOf(await spool.find(id));
        if (found === null || found.copy.nextAt === nextAt) continue;
        valueOf(await spool.settle(id, { state, attempts, nextAt, reason, at: now, outcomes: [] }, null));
      }
      return swept;
    },
  })),
  flaw("sweeping makes all copies due", [AHEAD, MODEL], (spool) => ({
    sweep: before(async (now) => {
      for (const { id } of await queuedIn(spool)) valueOf(await spool.retry(id, now));
    }),
  })),
  flaw("what failed is forgotten as soon as everything else", [AGAIN], {
    sweep: changingFirst((now) => now + FAILED_BODY_RETENTION),
  }),
  flaw("what failed is kept for 8 days", [AGAIN, MODEL], (spool) => ({
    sweep: async (sweep, now) => {
      const swept = await sweep(now - DAY);
      return (await bytesIn(spool)) > 0 ? swept : sweep(now);
    },
  })),
  flaw("bodies are not evicted for others", [EVICTION], (spool, _, limit) => ({
    receive: async (receive, chunks) => {
      const whole = await wholeOf(chunks);
      return (await bytesIn(spool)) + whole.length > limit
        ? err({ code: "spool_full" })
        : receive(inChunks(whole));
    },
  })),
  flaw("bodies are evicted for others, but not for messages", [ROOM_FOR_KEPT], (spool, _, limit) => ({
    keep: failingIf(
      { code: "spool_full" },
      async (mailing) => (await bytesIn(spool)) + spoolOctets(mailing) > limit,
    ),
  })),
  limitedTo("sweeping does not look at the limit", [A_QUARTER], (limit) => limit * 4),
  flaw("all bodies that nobody waits for are evicted at once", [EVICTION], (spool, _, limit) => ({
    receive: before(async () => {
      if ((await bytesIn(spool)) === limit) await spool.sweep(Number.MAX_SAFE_INTEGER);
    }),
  })),
  flaw("whole headers are remembered", [HEADERS], () => {
    const headers = new Map<string, string>();
    return {
      keep: before(({ message }) => headers.set(message.id, message.header)),
      find: finding(({ copy, message }) => ({
        copy,
        message: { ...message, header: headers.get(message.id) ?? "" },
      })),
    };
  }),
  flaw("headers are shortened before a message is finished", [HEADERS], {
    find: finding(({ copy, message }) => ({
      copy,
      message: { ...message, header: rememberedHeader(message.header) },
    })),
  }),
  flaw("messages are remembered for 34 days", [REMEMBERED], { sweep: changingFirst((now) => now + DAY) }),
  flaw("messages are remembered for ever", [REMEMBERED, MODEL], {
    sweep: changingFirst((now) => now - MAIL_RETENTION),
  }),
  flaw("messages are forgotten before their outcomes have been counted", [REMEMBERED, MODEL], (spool) => ({
    sweep: before(async () => {
      const uncounted = valueOf(await spool.uncounted(ALL));
      await spool.counted(uncounted.map(({ event }) => event.id));
    }),
  })),
  flaw("old copies are dropped", [OLD, BODIES], (spool) => ({
    sweep: before(async (now) => {
      for (const { id, nextAt } of await queuedIn(spool)) {
        if (nextAt < now - MAIL_RETENTION) await spool.drop(id, now);
      }
    }),
  })),
  flaw("sweep says that it is done after the first call", [MORE], { sweep: answering(() => false) }),
  flaw("bodies that were received do not count", [LIMIT, DISCARDED, MODEL], () => {
    let received = 0;
    return {
      receive: answering(async (body) => {
        received += (await readBody(body)).length;
        return body;
      }),
      size: answering((size) => ({ ...size, bytes: Math.max(0, size.bytes - received) })),
    };
  }),
];
