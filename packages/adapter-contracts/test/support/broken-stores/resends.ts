import { memoryStore } from "@postern/adapter-memory";
import { ok, type Store } from "@postern/core";
import type { Resend, Resends } from "@postern/core/store";
import { inTime } from "../intercepted.ts";
import { type Broken, resends } from "./broken.ts";

const LISTED = "a request to send a message again is listed for its spool until it is finished";
const LATEST = "a request that is made again is listed once, with the latest time";
const LATER = "finishing a request leaves one that was made later";
const APART = "requests for another spool, account, alias or message are separate";
const AS_MANY = "as many requests are listed as are asked for, each once, until all are finished";
const LENT = "requests are not shared with callers";
const TWICE = "two requests to send a message again race: the later one stays";
const AGAIN = "finishing a request races with making it again: the later request stays";

/** How a store treats requests. Whatever is not overridden is correct. */
type Rules = {
  readonly keyOf: (resend: Resend) => string;
  readonly replaces: (resend: Resend, stored: Resend) => boolean;
  readonly isFinished: (stored: Resend, resend: Resend) => boolean;
  readonly copyOf: (resend: Resend) => Resend;
};

const RIGHT: Rules = {
  keyOf: ({ spool, account, alias, message }) => JSON.stringify([spool, account, alias, message]),
  replaces: ({ at }, stored) => at > stored.at,
  isFinished: (stored, { at }) => stored.at === at,
  copyOf: (resend) => structuredClone(resend),
};

/** A store that keeps all requests in one list; `flaw` overrides how. */
const plainResends = (flaw: Partial<Rules>) => (): Store => {
  const { keyOf, replaces, isFinished, copyOf } = { ...RIGHT, ...flaw };
  const all = new Map<string, Resend>();
  const plain: Resends = {
    request: async (resend) => {
      const stored = all.get(keyOf(resend));
      if (stored === undefined || replaces(resend, stored)) all.set(keyOf(resend), copyOf(resend));
      return ok();
    },
    list: async (spool, limit) =>
      ok(
        [...all.values()]
          .filter((resend) => resend.spool === spool)
          .slice(0, limit)
          .map(copyOf),
      ),
    finish: async (resend) => {
      const stored = all.get(keyOf(resend));
      if (stored !== undefined && isFinished(stored, resend)) all.delete(keyOf(resend));
      return ok();
    },
  };
  return inTime({ ...memoryStore(), resends: plain });
};

export const brokenResends: readonly Broken[] = [
  {
    flaw: "requests are not stored",
    noticedBy: [LISTED, LATEST, LATER, APART, AS_MANY, LENT, TWICE, AGAIN],
    open: resends(() => ({ request: async () => ok() })),
  },
  {
    flaw: "finished requests stay",
    noticedBy: [LISTED, LATER, APART, AS_MANY],
    open: resends(() => ({ finish: async () => ok() })),
  },
  {
    flaw: "the request that is made last stays, even if another one is later",
    noticedBy: [LATEST, TWICE],
    open: plainResends({ replaces: () => true }),
  },
  {
    flaw: "the first request stays",
    noticedBy: [LATEST, LATER, AGAIN],
    open: plainResends({ replaces: () => false }),
  },
  {
    flaw: "finishing a request finishes later ones",
    noticedBy: [LATER],
    open: plainResends({ isFinished: () => true }),
  },
  {
    flaw: "a spool has one request for each alias",
    noticedBy: [APART, AS_MANY],
    open: plainResends({ keyOf: ({ spool, account, alias }) => JSON.stringify([spool, account, alias]) }),
  },
  {
    flaw: "a message for two aliases is sent again for one of them",
    noticedBy: [APART],
    open: plainResends({ keyOf: ({ spool, message }) => JSON.stringify([spool, message]) }),
  },
  {
    flaw: "a message is sent again by one server",
    noticedBy: [APART],
    open: plainResends({
      keyOf: ({ account, alias, message }) => JSON.stringify([account, alias, message]),
    }),
  },
  {
    flaw: "account and alias id of a request are joined into one key",
    noticedBy: [APART],
    open: plainResends({
      keyOf: ({ spool, account, alias, message }) => `${spool}${message}${account}#${alias}`,
    }),
  },
  {
    flaw: "requests of other spools are listed",
    noticedBy: [LISTED, APART],
    open: resends((real) => {
      const seen = new Set<Resend["spool"]>();
      return {
        request: (resend, timeLeft) => {
          seen.add(resend.spool);
          return real.request(resend, timeLeft);
        },
        list: async (_, limit, timeLeft) => {
          const all: Resend[] = [];
          for (const spool of seen) all.push(...(await real.list(spool, limit, timeLeft)).unwrapOr([]));
          return ok(all);
        },
      };
    }),
  },
  {
    flaw: "all requests are listed, however few are asked for",
    noticedBy: [AS_MANY],
    open: resends((real) => ({ list: (spool, _, timeLeft) => real.list(spool, 1_000, timeLeft) })),
  },
  {
    flaw: "one request is listed at a time",
    noticedBy: [APART, AS_MANY],
    open: resends((real) => ({ list: (spool, _, timeLeft) => real.list(spool, 1, timeLeft) })),
  },
  {
    flaw: "requests are shared with the caller",
    noticedBy: [LENT],
    open: plainResends({ copyOf: (resend) => resend }),
  },
];
