import { ok } from "@postern/core";
import type { Resend } from "@postern/core/store";
import { before, ignoring } from "../faults.ts";
import { plainStore } from "../plain-store/index.ts";
import type { ResendRules } from "../plain-store/message-log.ts";
import { type Broken, flaw, flawOf } from "./broken.ts";

const LISTED = "a request to send a message again is listed for its spool until it is finished";
const LATEST = "a request that is made again is listed once, with the latest time";
const LATER = "finishing a request leaves one that was made later";
const APART = "requests for another spool, account, alias or message are separate";
const AS_MANY = "as many requests are listed as are asked for, each once, until all are finished";
const LENT = "requests are not shared with callers";
const TWICE = "two requests to send a message again race: the later one stays";
const AGAIN = "finishing a request races with making it again: the later request stays";

const plain = flawOf((resends?: Partial<ResendRules>) => plainStore({ resends }));

export const brokenResends: readonly Broken[] = [
  flaw("requests are not stored", [LISTED, LATEST, LATER, APART, AS_MANY, LENT, TWICE, AGAIN], {
    "resends.request": ignoring,
  }),
  flaw("finished requests stay", [LISTED, LATER, APART, AS_MANY], { "resends.finish": ignoring }),
  plain("the request that is made last stays, even if another one is later", [LATEST, TWICE], {
    replaces: () => true,
  }),
  plain("the first request stays", [LATEST, LATER, AGAIN], { replaces: () => false }),
  plain("finishing a request finishes later ones", [LATER], { isFinished: () => true }),
  plain("a spool has one request for each alias", [APART, AS_MANY], {
    keyOf: ({ spool, account, alias }) => JSON.stringify([spool, account, alias]),
  }),
  plain("a message for two aliases is sent again for one of them", [APART], {
    keyOf: ({ spool, message }) => JSON.stringify([spool, message]),
  }),
  plain("a message is sent again by one server", [APART], {
    keyOf: ({ account, alias, message }) => JSON.stringify([account, alias, message]),
  }),
  plain("account and alias id of a request are joined into one key", [APART], {
    keyOf: ({ spool, account, alias, message }) => `${spool}${message}${account}#${alias}`,
  }),
  flaw("requests of other spools are listed", [LISTED, APART], ({ resends }) => {
    const spools = new Set<Resend["spool"]>();
    return {
      "resends.request": before(({ spool }) => spools.add(spool)),
      "resends.list": async (_, _spool, limit) => {
        const all: Resend[] = [];
        for (const spool of spools) all.push(...(await resends.list(spool, limit)).unwrapOr([]));
        return ok(all);
      },
    };
  }),
  flaw("all requests are listed, however few are asked for", [AS_MANY], {
    "resends.list": (list, spool) => list(spool, 1_000),
  }),
  flaw("one request is listed at a time", [APART, AS_MANY], {
    "resends.list": (list, spool) => list(spool, 1),
  }),
  plain("requests are shared with the caller", [LENT], { copyOf: (resend) => resend }),
];
