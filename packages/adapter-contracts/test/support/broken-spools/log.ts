import { isNonEmpty } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type LoggedRevision, MAIL_RETENTION, type Spool, type Unlogged } from "@postern/mail";
import { revisionOf } from "../../../src/spool/spool-samples.ts";
import { answering, before, changingFirst, firstOf, type Instead, ignoring } from "../faults.ts";
import type { Changes } from "../intercepted.ts";
import { ALL, type BrokenSpool, flaw, flawsBy, MODEL } from "./broken-spool.ts";

const KEPT = "once a message is kept, it has to be logged for each of its aliases";
const AGAIN = "keeping a message again does not make it unlogged";
const CHANGES = "a message has to be logged again after each change that the log shows, and after no other";
const ORDER =
  "messages are due for logging in the order of their changes, and stay so until their last revision is logged";
const ALIASES = "logging for one alias leaves the others unlogged";
const FORGOTTEN = "messages are forgotten after 35 days whether or not they are logged";
const AT_ONCE = "changes at the same time are all logged in the end";
const EVICTED = "a message whose body was evicted has to be logged as one that cannot be sent again";
const RESENT = "a message that is sent again has to be logged, once for each alias";

const keyOf = ({ alias, message }: Unlogged): string => JSON.stringify([message.id, alias.account, alias.id]);
const keyOfRevision = ({ id, account, alias }: LoggedRevision): string =>
  JSON.stringify([id, account, alias]);

const unloggedIn = async (spool: Spool): Promise<readonly Unlogged[]> => valueOf(await spool.unlogged(ALL));

/** Reads what is unlogged in another way. */
const reading = (change: (unlogged: readonly Unlogged[]) => readonly Unlogged[]) =>
  ({
    unlogged: async (read, limit) => (await read(ALL)).map((all) => change(all).slice(0, limit)),
  }) satisfies Changes<Spool>;

const listed = flawsBy(reading);

/** Everything that the call makes unlogged counts as logged. */
const silently =
  <Args extends unknown[], T, E>(
    spool: Spool,
    condition: NoInfer<(...args: Args) => boolean> = () => true,
  ): Instead<Args, T, E> =>
  async (port, ...args) => {
    if (!condition(...args)) return port(...args);
    const known = new Set((await unloggedIn(spool)).map(keyOf));
    const result = await port(...args);
    const added = (await unloggedIn(spool)).filter((each) => !known.has(keyOf(each)));
    await spool.logged(added.map(revisionOf));
    return result;
  };

/** Logs the current revisions, whichever ones are said to be logged. */
const loggingCurrent = (spool: Spool) =>
  ({
    logged: changingFirst(async (revisions) => {
      const keys = revisions.map(keyOfRevision);
      return (await unloggedIn(spool)).filter((each) => keys.includes(keyOf(each))).map(revisionOf);
    }),
  }) satisfies Changes<Spool>;

export const brokenLogs: readonly BrokenSpool[] = [
  listed("a message is logged for one of its aliases only", [KEPT, ALIASES, MODEL], (all) => [
    ...new Map(all.map((each) => [each.message.id, each])).values(),
  ]),
  flaw("the copies for other aliases are logged too", [KEPT, CHANGES, MODEL], (spool) => ({
    unlogged: answering((unlogged) =>
      Promise.all(
        unlogged.map(async (each) => {
          const copies = valueOf(await spool.findAll(each.message.id));
          return isNonEmpty(copies) ? { ...each, copies } : each;
        }),
      ),
    ),
  })),
  flaw("keeping a message again makes it unlogged", [AGAIN, MODEL], (spool) => {
    const kept = new Map<string, readonly Unlogged[]>();
    const again: Unlogged[] = [];
    return {
      keep: async (keep, mailing) => {
        const { id } = mailing.message;
        again.push(...(kept.get(id) ?? []));
        const result = await keep(mailing);
        const unlogged = (await unloggedIn(spool)).filter(({ message }) => message.id === id);
        if (!kept.has(id)) kept.set(id, unlogged);
        return result;
      },
      unlogged: answering((all, limit) => [...all, ...again].slice(0, limit)),
    };
  }),
  flaw("what was logged once is not logged again", [CHANGES, ORDER, MODEL], (_, seen) => ({
    ...reading((all) => all.filter((each) => !seen.has(keyOf(each)))),
    logged: before((revisions) => {
      for (const each of revisions) seen.add(keyOfRevision(each));
    }),
  })),
  listed("bodies count as kept once they are forgotten", [FORGOTTEN, MODEL], (all) =>
    all.map((each) => ({ ...each, hasBody: true })),
  ),
  flaw("that a body was evicted is not logged", [EVICTED], (spool) => ({ receive: silently(spool) })),
  flaw("what is sent again is not logged", [RESENT, MODEL], (spool) => ({ resend: silently(spool) })),
  flaw("what a report says is not logged", [CHANGES, MODEL], (spool) => ({ report: silently(spool) })),
  flaw("that a copy is delayed is not stored", [CHANGES, MODEL], () => ({ delay: ignoring })),
  flaw("that a copy is delayed is not logged", [CHANGES, MODEL], (spool) => ({ delay: silently(spool) })),
  flaw("why a copy waits is not logged", [CHANGES, MODEL], (spool) => ({
    settle: silently(spool, (_copy, { state }) => state === "queued"),
  })),
  flaw("what an operator does is not logged", [CHANGES, MODEL], (spool) => ({
    retry: silently(spool),
    drop: silently(spool),
  })),
  flaw("every attempt is logged", [CHANGES, MODEL], (spool) => {
    const attempted = new Map<string, Unlogged>();
    return {
      settle: async (settle, id, settlement, ifNoneLeft) => {
        const before = valueOf(await spool.find(id));
        const result = await settle(id, settlement, ifNoneLeft);
        const after = valueOf(await spool.find(id));
        if (after === null || after.copy.attempts === before?.copy.attempts) return result;
        const { message, copy } = after;
        if (copy.purpose.kind !== "forward") return result;
        const { alias } = copy.purpose;
        attempted.set(id, { alias, message, copies: [copy], hasBody: true, revision: copy.attempts + 1 });
        return result;
      },
      unlogged: answering((all, limit) => {
        const known = new Set(all.map(keyOf));
        const others = [...attempted.values()].filter((each) => !known.has(keyOf(each)));
        return [...all, ...others].slice(0, limit);
      }),
    };
  }),
  flaw("revisions stay 1", [CHANGES, AT_ONCE, MODEL], (spool) => ({
    ...loggingCurrent(spool),
    unlogged: answering((all) => all.map((each) => ({ ...each, revision: 1 }))),
  })),
  flaw("a message is logged whatever has changed since it was read", [ORDER, MODEL], loggingCurrent),
  flaw("logging for an alias also logs for those of other accounts with the same id", [ALIASES], (spool) => ({
    logged: changingFirst(async (revisions) => {
      const isMeant = ({ alias, message, revision }: Unlogged) =>
        revisions.some(
          (logged) => logged.id === message.id && logged.alias === alias.id && logged.revision === revision,
        );
      return (await unloggedIn(spool)).filter(isMeant).map(revisionOf);
    }),
  })),
  listed("the newest changes are logged first", [ORDER, MODEL], (all) => all.toReversed()),
  flaw("a message that changes again goes to the end of the line", [ORDER, MODEL], () => {
    const places = new Map<string, number>();
    const placeOf = (each: Unlogged): number =>
      firstOf(places, JSON.stringify([keyOf(each), each.revision]), places.size);
    return reading((all) => {
      const placed = all.map((each) => ({ each, place: placeOf(each) }));
      return placed.toSorted((one, other) => one.place - other.place).map(({ each }) => each);
    });
  }),
  flaw("what is logged is logged again", [AGAIN, CHANGES, ORDER, ALIASES, MODEL], { logged: ignoring }),
  flaw("messages are remembered until they are logged", [FORGOTTEN], (spool) => ({
    sweep: changingFirst(async (now) => ((await unloggedIn(spool)).length > 0 ? now - MAIL_RETENTION : now)),
  })),
  flaw("the number of unlogged messages counts each once", [KEPT, MODEL], (spool) => ({
    size: answering(async (size) => ({
      ...size,
      unlogged: new Set((await unloggedIn(spool)).map(({ message }) => message.id)).size,
    })),
  })),
];
