import { memorySpool } from "@postern/adapter-memory";
import { err, FAILED_BODY_RETENTION, ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { MAIL_RETENTION, rememberedHeader, type Spool, spoolOctets } from "@postern/mail";
import { inChunks, readBody } from "../../../src/spool/spool-samples.ts";
import { type BrokenSpool, MODEL, spool } from "./broken-spool.ts";

const LIMIT = "the spool never exceeds its limit, and keeps nothing of what does not fit";
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

export const brokenLimits: readonly BrokenSpool[] = [
  {
    flaw: "the limit is twice what it should be",
    noticedBy: [LIMIT, EARLY, "bodies that arrive at the same time share the limit"],
    open: async ({ limit }) => ({ spool: memorySpool({ limit: limit * 2 }), close: async () => {} }),
  },
  {
    flaw: "a message that does not fit is unavailable",
    noticedBy: [LIMIT],
    open: spool((real) => ({
      keep: async (mailing) => {
        const kept = await real.keep(mailing);
        return kept.isErr() ? err({ code: "unavailable" }) : kept;
      },
    })),
  },
  {
    flaw: "a body is read to its end before it is refused",
    noticedBy: [EARLY],
    open: spool((real) => ({
      receive: async (chunks) => {
        const all: Uint8Array[] = [];
        for await (const chunk of chunks) all.push(chunk);
        return real.receive(inChunks(Buffer.concat(all)));
      },
    })),
  },
  {
    flaw: "something is left of a body that is refused",
    noticedBy: [LIMIT, EARLY],
    open: spool((real) => {
      let left = 0;
      return {
        receive: async (chunks) => {
          const received = await real.receive(chunks);
          if (received.isErr()) left += 1;
          return received;
        },
        size: async () => (await real.size()).map((size) => ({ ...size, bytes: size.bytes + left })),
      };
    }),
  },
  {
    flaw: "bodies are forgotten before they are sent",
    noticedBy: [BODIES, OLD, MODEL],
    open: spool((real) => {
      let swept = false;
      return {
        sweep: async (now) => {
          swept = true;
          return real.sweep(now);
        },
        take: async (...input) =>
          (await real.take(...input)).map(({ copies, more }) => ({
            copies: copies.map((due) =>
              swept
                ? {
                    ...due,
                    body: {
                      ...due.body,
                      read: () => {
                        throw new Error("the body is gone");
                      },
                    },
                  }
                : due,
            ),
            more,
          })),
      };
    }),
  },
  {
    flaw: "bodies are never forgotten",
    noticedBy: [BODIES, LIMIT, AGAIN, NO_ALIAS, REMEMBERED, MORE, MODEL],
    open: spool(() => ({ sweep: async () => ok(false) })),
  },
  {
    flaw: "copies that were deferred by a clock that was ahead stay deferred",
    noticedBy: [AHEAD],
    open: spool((real) => ({
      sweep: async (now) => {
        const { items } = valueOf(await real.list({ limit: 1_000, after: null }));
        const swept = await real.sweep(now);
        for (const { id, state, attempts, nextAt, reason } of items) {
          const found = valueOf(await real.find(id));
          if (found === null || found.copy.nextAt === nextAt) continue;
          valueOf(await real.settle(id, { state, attempts, nextAt, reason, at: now, outcomes: [] }, null));
        }
        return swept;
      },
    })),
  },
  {
    flaw: "sweeping makes all copies due",
    noticedBy: [AHEAD, MODEL],
    open: spool((real) => ({
      sweep: async (now) => {
        const { items } = valueOf(await real.list({ limit: 1_000, after: null }));
        for (const { id } of items) valueOf(await real.retry(id, now));
        return real.sweep(now);
      },
    })),
  },
  {
    flaw: "what failed is forgotten as soon as everything else",
    noticedBy: [AGAIN],
    open: spool((real) => ({ sweep: (now) => real.sweep(now + FAILED_BODY_RETENTION) })),
  },
  {
    flaw: "what failed is kept for 8 days",
    noticedBy: [AGAIN, MODEL],
    open: spool((real) => ({
      sweep: async (now) => {
        const swept = await real.sweep(now - 24 * 60 * 60 * 1_000);
        const { bytes } = valueOf(await real.size());
        return bytes > 0 ? swept : real.sweep(now);
      },
    })),
  },
  {
    flaw: "bodies are not evicted for others",
    noticedBy: [EVICTION],
    open: async ({ limit }) => {
      const real = memorySpool({ limit });
      const receive: Spool["receive"] = async (chunks) => {
        const content: Uint8Array[] = [];
        for await (const chunk of chunks) content.push(chunk.slice());
        const octets = Buffer.concat(content);
        const { bytes } = valueOf(await real.size());
        return bytes + octets.length > limit ? err({ code: "spool_full" }) : real.receive(inChunks(octets));
      };
      return { spool: { ...real, receive }, close: async () => {} };
    },
  },
  {
    flaw: "bodies are evicted for others, but not for messages",
    noticedBy: [ROOM_FOR_KEPT],
    open: async ({ limit }) => {
      const real = memorySpool({ limit });
      const keep: Spool["keep"] = async (mailing) => {
        const { bytes } = valueOf(await real.size());
        return bytes + spoolOctets(mailing) > limit ? err({ code: "spool_full" }) : real.keep(mailing);
      };
      return { spool: { ...real, keep }, close: async () => {} };
    },
  },
  {
    flaw: "sweeping does not look at the limit",
    noticedBy: [A_QUARTER],
    open: async ({ limit }) => ({ spool: memorySpool({ limit: limit * 4 }), close: async () => {} }),
  },
  {
    flaw: "all bodies that nobody waits for are evicted at once",
    noticedBy: [EVICTION],
    open: async ({ limit }) => {
      const real = memorySpool({ limit });
      const receive: Spool["receive"] = async (chunks) => {
        const { bytes } = valueOf(await real.size());
        if (bytes === limit) await real.sweep(Number.MAX_SAFE_INTEGER);
        return real.receive(chunks);
      };
      return { spool: { ...real, receive }, close: async () => {} };
    },
  },
  {
    flaw: "whole headers are remembered",
    noticedBy: [HEADERS],
    open: spool((real) => {
      const headers = new Map<string, string>();
      return {
        keep: async (mailing) => {
          headers.set(mailing.message.id, mailing.message.header);
          return real.keep(mailing);
        },
        find: async (copy) =>
          (await real.find(copy)).map((found) => {
            const header = found && headers.get(found.message.id);
            return found && { ...found, message: { ...found.message, header: header ?? "" } };
          }),
      };
    }),
  },
  {
    flaw: "headers are shortened before a message is finished",
    noticedBy: [HEADERS],
    open: spool((real) => ({
      find: async (copy) =>
        (await real.find(copy)).map(
          (found) =>
            found && {
              ...found,
              message: { ...found.message, header: rememberedHeader(found.message.header) },
            },
        ),
    })),
  },
  {
    flaw: "messages are remembered for 34 days",
    noticedBy: [REMEMBERED],
    open: spool((real) => ({ sweep: (now) => real.sweep(now + 24 * 60 * 60 * 1_000) })),
  },
  {
    flaw: "messages are remembered for ever",
    noticedBy: [REMEMBERED, MODEL],
    open: spool((real) => ({ sweep: (now) => real.sweep(Math.min(now, now - MAIL_RETENTION)) })),
  },
  {
    flaw: "messages are forgotten before their outcomes have been counted",
    noticedBy: [REMEMBERED, MODEL],
    open: spool((real) => ({
      sweep: async (now) => {
        const uncounted = await real.uncounted(10_000);
        if (uncounted.isOk()) await real.counted(uncounted.value.map(({ event }) => event.id));
        return real.sweep(now);
      },
    })),
  },
  {
    flaw: "old copies are dropped",
    noticedBy: [OLD, BODIES],
    open: spool((real) => ({
      sweep: async (now) => {
        const listed = await real.list({ limit: 100, after: null });
        for (const { id, nextAt } of listed.isOk() ? listed.value.items : []) {
          if (nextAt < now - MAIL_RETENTION) await real.drop(id, now);
        }
        return real.sweep(now);
      },
    })),
  },
  {
    flaw: "sweep says that it is done after the first call",
    noticedBy: [MORE],
    open: spool((real) => ({ sweep: async (now) => (await real.sweep(now)).map(() => false) })),
  },
  {
    flaw: "bodies that were received do not count",
    noticedBy: [LIMIT, "a discarded body is gone, and cannot be kept", MODEL],
    open: spool((real) => {
      let received = 0;
      return {
        receive: async (chunks) => {
          const body = await real.receive(chunks);
          if (body.isOk()) received += (await readBody(body.value)).length;
          return body;
        },
        size: async () =>
          (await real.size()).map((size) => ({ ...size, bytes: Math.max(0, size.bytes - received) })),
      };
    }),
  },
];
