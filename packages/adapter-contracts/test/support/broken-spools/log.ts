import { isNonEmpty, ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { MAIL_RETENTION, type Spool, type Unlogged } from "@postern/mail";
import { revisionOf } from "../../../src/spool/spool-samples.ts";
import { type BrokenSpool, MODEL, spool } from "./broken-spool.ts";

const KEPT = "once a message is kept, it has to be logged for each of its aliases";
const AGAIN = "keeping a message again does not make it unlogged";
const CHANGES = "a message has to be logged again after each change that the log shows, and after no other";
const ORDER =
  "messages are due for logging in the order of their changes, and stay so until their last revision is logged";
const ALIASES = "logging for one alias leaves the others unlogged";
const FORGOTTEN = "messages are forgotten after 35 days whether or not they are logged";
const AT_ONCE = "changes at the same time are all logged in the end";

const ALL = 10_000;

const keyOf = ({ alias, message }: Unlogged): string => JSON.stringify([message.id, alias.account, alias.id]);

/** The correct spool, except that it reads what is unlogged in another way. */
const reading = (change: (unlogged: readonly Unlogged[]) => readonly Unlogged[]) =>
  spool((real) => ({
    unlogged: async (limit) => (await real.unlogged(ALL)).map((all) => change(all).slice(0, limit)),
  }));

/** Makes calls after which everything that they have made unlogged counts as logged. */
const silently =
  (real: Spool) =>
  async <T>(call: () => Promise<T>): Promise<T> => {
    const known = new Set(valueOf(await real.unlogged(ALL)).map(keyOf));
    const result = await call();
    const added = valueOf(await real.unlogged(ALL)).filter((each) => !known.has(keyOf(each)));
    await real.logged(added.map(revisionOf));
    return result;
  };

export const brokenLogs: readonly BrokenSpool[] = [
  {
    flaw: "a message is logged for one of its aliases only",
    noticedBy: [KEPT, ALIASES, MODEL],
    open: reading((all) => [...new Map(all.map((each) => [each.message.id, each])).values()]),
  },
  {
    flaw: "the copies for other aliases are logged too",
    noticedBy: [KEPT, CHANGES, MODEL],
    open: spool((real) => ({
      unlogged: async (limit) => {
        const unlogged = valueOf(await real.unlogged(limit));
        return ok(
          await Promise.all(
            unlogged.map(async (each) => {
              const copies = valueOf(await real.findAll(each.message.id));
              return isNonEmpty(copies) ? { ...each, copies } : each;
            }),
          ),
        );
      },
    })),
  },
  {
    flaw: "keeping a message again makes it unlogged",
    noticedBy: [AGAIN, MODEL],
    open: spool((real) => {
      const kept = new Map<string, readonly Unlogged[]>();
      const again: Unlogged[] = [];
      return {
        keep: async (mailing) => {
          const { id } = mailing.message;
          again.push(...(kept.get(id) ?? []));
          const result = await real.keep(mailing);
          const unlogged = valueOf(await real.unlogged(ALL)).filter(({ message }) => message.id === id);
          if (!kept.has(id)) kept.set(id, unlogged);
          return result;
        },
        unlogged: async (limit) =>
          (await real.unlogged(limit)).map((all) => [...all, ...again].slice(0, limit)),
      };
    }),
  },
  {
    flaw: "what was logged once is not logged again",
    noticedBy: [CHANGES, ORDER, MODEL],
    open: spool((real) => {
      const logged = new Set<string>();
      return {
        logged: async (revisions) => {
          for (const { id, account, alias } of revisions) logged.add(JSON.stringify([id, account, alias]));
          return real.logged(revisions);
        },
        unlogged: async (limit) =>
          (await real.unlogged(ALL)).map((all) =>
            all.filter((each) => !logged.has(keyOf(each))).slice(0, limit),
          ),
      };
    }),
  },
  {
    flaw: "bodies count as kept once they are forgotten",
    noticedBy: [FORGOTTEN, MODEL],
    open: reading((all) => all.map((each) => ({ ...each, hasBody: true }))),
  },
  {
    flaw: "that a body was evicted is not logged",
    noticedBy: ["a message whose body was evicted has to be logged as one that cannot be sent again"],
    open: spool((real) => ({ receive: (chunks) => silently(real)(() => real.receive(chunks)) })),
  },
  {
    flaw: "what is sent again is not logged",
    noticedBy: ["a message that is sent again has to be logged, once for each alias", MODEL],
    open: spool((real) => ({ resend: (...args) => silently(real)(() => real.resend(...args)) })),
  },
  {
    flaw: "what a report says is not logged",
    noticedBy: [CHANGES, MODEL],
    open: spool((real) => ({ report: (...args) => silently(real)(() => real.report(...args)) })),
  },
  {
    flaw: "why a copy waits is not logged",
    noticedBy: [CHANGES, MODEL],
    open: spool((real) => ({
      settle: (id, settlement, ifNoneLeft) => {
        const settle = () => real.settle(id, settlement, ifNoneLeft);
        return settlement.state === "queued" ? silently(real)(settle) : settle();
      },
    })),
  },
  {
    flaw: "what an operator does is not logged",
    noticedBy: [CHANGES, MODEL],
    open: spool((real) => ({
      retry: (...args) => silently(real)(() => real.retry(...args)),
      drop: (...args) => silently(real)(() => real.drop(...args)),
    })),
  },
  {
    flaw: "every attempt is logged",
    noticedBy: [CHANGES, MODEL],
    open: spool((real) => {
      const attempted = new Map<string, Unlogged>();
      return {
        settle: async (id, settlement, ifNoneLeft) => {
          const before = valueOf(await real.find(id));
          const result = await real.settle(id, settlement, ifNoneLeft);
          const after = valueOf(await real.find(id));
          const purpose = after?.copy.purpose;
          if (
            after !== null &&
            after.copy.attempts !== before?.copy.attempts &&
            purpose?.kind === "forward"
          ) {
            const { message, copy } = after;
            const revision = copy.attempts + 1;
            attempted.set(id, { alias: purpose.alias, message, copies: [copy], hasBody: true, revision });
          }
          return result;
        },
        unlogged: async (limit) =>
          (await real.unlogged(limit)).map((all) => {
            const known = new Set(all.map(keyOf));
            const others = [...attempted.values()].filter((each) => !known.has(keyOf(each)));
            return [...all, ...others].slice(0, limit);
          }),
      };
    }),
  },
  {
    flaw: "revisions stay 1",
    noticedBy: [CHANGES, AT_ONCE, MODEL],
    open: spool((real) => ({
      unlogged: async (limit) =>
        (await real.unlogged(limit)).map((all) => all.map((each) => ({ ...each, revision: 1 }))),
      logged: async (revisions) => {
        const ids = new Set(revisions.map(({ id, account, alias }) => JSON.stringify([id, account, alias])));
        const unlogged = valueOf(await real.unlogged(ALL));
        return real.logged(unlogged.filter((each) => ids.has(keyOf(each))).map(revisionOf));
      },
    })),
  },
  {
    flaw: "a message is logged whatever has changed since it was read",
    noticedBy: [ORDER, MODEL],
    open: spool((real) => ({
      logged: async (revisions) => {
        const ids = new Set(revisions.map(({ id, account, alias }) => JSON.stringify([id, account, alias])));
        const unlogged = valueOf(await real.unlogged(ALL));
        return real.logged(unlogged.filter((each) => ids.has(keyOf(each))).map(revisionOf));
      },
    })),
  },
  {
    flaw: "logging for an alias also logs for those of other accounts with the same id",
    noticedBy: [ALIASES],
    open: spool((real) => ({
      logged: async (revisions) => {
        const isMeant = ({ alias, message, revision }: Unlogged) =>
          revisions.some(
            (logged) => logged.id === message.id && logged.alias === alias.id && logged.revision === revision,
          );
        return real.logged(
          valueOf(await real.unlogged(ALL))
            .filter(isMeant)
            .map(revisionOf),
        );
      },
    })),
  },
  {
    flaw: "the newest changes are logged first",
    noticedBy: [ORDER, MODEL],
    open: reading((all) => all.toReversed()),
  },
  {
    flaw: "a message that changes again goes to the end of the line",
    noticedBy: [ORDER, MODEL],
    open: spool((real) => {
      const seen = new Map<string, { readonly revision: number; readonly place: number }>();
      let places = 0;
      const placeOf = (each: Unlogged): number => {
        const key = keyOf(each);
        const known = seen.get(key);
        if (known?.revision === each.revision) return known.place;
        places += 1;
        seen.set(key, { revision: each.revision, place: places });
        return places;
      };
      return {
        unlogged: async (limit) =>
          (await real.unlogged(ALL)).map((all) =>
            all
              .map((each) => ({ each, place: placeOf(each) }))
              .sort((one, other) => one.place - other.place)
              .slice(0, limit)
              .map(({ each }) => each),
          ),
      };
    }),
  },
  {
    flaw: "what is logged is logged again",
    noticedBy: [AGAIN, CHANGES, ORDER, ALIASES, MODEL],
    open: spool(() => ({ logged: async () => ok() })),
  },
  {
    flaw: "messages are remembered until they are logged",
    noticedBy: [FORGOTTEN],
    open: spool((real) => ({
      sweep: async (now) => {
        const isLogged = valueOf(await real.unlogged(1)).length === 0;
        return real.sweep(isLogged ? now : now - MAIL_RETENTION);
      },
    })),
  },
  {
    flaw: "the number of unlogged messages counts each once",
    noticedBy: [KEPT, MODEL],
    open: spool((real) => ({
      size: async () => {
        const messages = new Set(valueOf(await real.unlogged(ALL)).map(({ message }) => message.id));
        return (await real.size()).map((size) => ({ ...size, unlogged: messages.size }));
      },
    })),
  },
];
