import { err, isNonEmpty, ok } from "@postern/core";
import { Announcement, type AnnouncementPosition, type NextTurn, type Turn } from "@postern/core/store";
import { plainOutbox, RIGHT } from "../plain-outbox.ts";
import { type Broken, outbox } from "./broken.ts";

const FIELDS = "an announcement is listed with every field until it is removed";
const APART = "announcements that differ in one field are separate";
const SEVERAL = "what is announced to several webhooks at once is announced to each of them";
const PAGES = "pages of any size list what is announced to a webhook once, in order";
const MANY = "a full page of announcements can be removed at once";
const ALIKE =
  "webhooks with the same id, of accounts with similar ids, have announcements and turns of their own";
const LENT = "announcements and turns are not shared with callers";
const DUE = "a webhook is due from its first announcement, and somebody has its turn until it ends";
const LOST = "a turn that never ends passes to another holder, and its former holder can no longer end it";
const CONTINUES = "a turn begins where the last one ended";
const IDLE = "a turn that ends with nothing announced leaves the webhook not due until something is";
const MEANWHILE = "what is announced during a turn makes the webhook due again when it ends";
const LONGEST = "as many turns begin as are asked for, of those that have been due for longest";
const HUNDRED = "100 turns begin at once, and the others next";
const MODEL = "after every step of a random sequence of calls, the outbox matches a plain model";
const STAYS = "what is announced to a webhook stays when it is removed, and so do its turns";
const SERVERS = "two servers begin the turn of a webhook at once: exactly one gets it";
const NEXT =
  "the end of a turn races with the beginning of the next one: the next one begins where the first one ended";
const REST = "a turn that ends with a rest races with the beginning of the next one: the webhook rests";
const OVER = "the end of a turn that is over races with another server getting it: nobody else gets it then";
const AT_THE_END = "an announcement races with the end of a turn: the webhook is due again";
const OTHERS_REMOVED = "an announcement races with the removal of others: it stays";
const TWO = "two announcements to a webhook at once: both stay, and it is due";

/** A store that stores and returns announcements other than those it is given. */
const storing =
  (change: (announcement: Announcement) => Announcement): Broken["open"] =>
  () =>
    plainOutbox({ copyOf: (announcement) => change(RIGHT.copyOf(announcement)) });

/** A store in which announcements to a webhook are one if they have these parts in common. */
const keyedBy =
  (parts: (announcement: Announcement) => readonly unknown[]): Broken["open"] =>
  () =>
    plainOutbox({ keyOf: (announcement) => JSON.stringify(parts(announcement)) });

/** A store in which removing an announcement also removes others. */
const removing =
  (others: (removed: Announcement, stored: Announcement) => boolean): Broken["open"] =>
  () =>
    plainOutbox({ removes: (removed, stored) => RIGHT.removes(removed, stored) || others(removed, stored) });

/** A store that lists announcements in the order of their positions, compared like this. */
const inOrderOf =
  (compare: (a: string, b: string) => number): Broken["open"] =>
  () =>
    plainOutbox({ order: (a, b) => compare(Announcement.position(a), Announcement.position(b)) });

const lastOf = (items: readonly Announcement[]): AnnouncementPosition | null => {
  const last = items.at(-1);
  return last === undefined ? null : Announcement.position(last);
};

export const brokenOutbox: readonly Broken[] = [
  {
    flaw: "announcements are not stored",
    noticedBy: [
      STAYS,
      FIELDS,
      APART,
      SEVERAL,
      PAGES,
      MANY,
      ALIKE,
      LENT,
      DUE,
      LOST,
      CONTINUES,
      IDLE,
      MEANWHILE,
      LONGEST,
      HUNDRED,
      MODEL,
      SERVERS,
      NEXT,
      REST,
      OVER,
      AT_THE_END,
      OTHERS_REMOVED,
      TWO,
    ],
    open: outbox(() => ({ announce: async () => ok() })),
  },
  {
    flaw: "an announcement of a message is stored as one of its alias",
    noticedBy: [FIELDS, APART, PAGES, MODEL],
    open: storing((announcement) => ({ ...announcement, message: null })),
  },
  {
    flaw: "the version that is announced is not stored",
    noticedBy: [FIELDS, APART, PAGES, MANY, MODEL, OTHERS_REMOVED],
    open: storing((announcement) => ({ ...announcement, version: 1 })),
  },
  {
    flaw: "the time of an announcement is stored in seconds",
    noticedBy: [FIELDS, APART, SEVERAL, PAGES, ALIKE, IDLE, MEANWHILE, MODEL],
    open: storing((announcement) => ({ ...announcement, at: announcement.at - (announcement.at % 1_000) })),
  },
  {
    flaw: "announcements of two aliases are one",
    noticedBy: [APART, TWO],
    open: keyedBy(({ message, version, at }) => [message, version, at]),
  },
  {
    flaw: "announcements of an alias and of its messages are one",
    noticedBy: [APART, PAGES, MODEL],
    open: keyedBy(({ alias, version, at }) => [alias, version, at]),
  },
  {
    flaw: "announcements of two versions are one",
    noticedBy: [APART, PAGES, MODEL],
    open: keyedBy(({ alias, message, at }) => [alias, message, at]),
  },
  {
    flaw: "announcements made at two times are one",
    noticedBy: [APART, PAGES],
    open: keyedBy(({ alias, message, version }) => [alias, message, version]),
  },
  {
    flaw: "alias and message are joined into one key",
    noticedBy: [APART],
    open: keyedBy(({ alias, message, version, at }) => [`${alias}${message ?? ""}`, version, at]),
  },
  {
    flaw: "what is announced again is listed twice",
    noticedBy: [FIELDS, MODEL],
    open: () => {
      let serial = 0;
      return plainOutbox({
        keyOf: () => {
          serial += 1;
          return String(serial);
        },
      });
    },
  },
  {
    flaw: "of several announcements made at once, the first one is stored",
    noticedBy: [APART, SEVERAL, MODEL],
    open: outbox((real) => ({ announce: ([first], timeLeft) => real.announce([first], timeLeft) })),
  },
  {
    flaw: "announcements made at once are all to the same webhook",
    noticedBy: [SEVERAL, MODEL],
    open: outbox((real) => ({
      announce: ([first, ...others], timeLeft) => {
        const { webhook } = first;
        return real.announce([first, ...others.map((each) => ({ ...each, webhook }))], timeLeft);
      },
    })),
  },
  {
    flaw: "of several webhooks to which something is announced at once, one is due",
    noticedBy: [SEVERAL, MODEL],
    open: () => {
      const store = plainOutbox();
      const { announce, begin } = store.outbox;
      const due = new Set<string>();
      return {
        ...store,
        outbox: {
          ...store.outbox,
          announce: (announcements, timeLeft) => {
            due.add(announcements[0].webhook);
            return announce(announcements, timeLeft);
          },
          begin: async (turns, timeLeft) =>
            (await begin(turns, timeLeft)).map((begun) => begun.filter(({ id }) => due.has(id))),
        },
      };
    },
  },
  {
    flaw: "announcements stay when they are removed",
    noticedBy: [FIELDS, APART, SEVERAL, MANY, ALIKE, IDLE, MEANWHILE, MODEL, AT_THE_END, OTHERS_REMOVED],
    open: outbox(() => ({ remove: async () => ok() })),
  },
  {
    flaw: "of several announcements removed at once, the first one is removed",
    noticedBy: [FIELDS, MANY, MODEL],
    open: outbox((real) => ({ remove: ([first], timeLeft) => real.remove([first], timeLeft) })),
  },
  {
    flaw: "25 announcements are removed at once, at most",
    noticedBy: [MANY],
    open: outbox((real) => ({
      remove: (announcements, timeLeft) => {
        const some = announcements.slice(0, 25);
        return isNonEmpty(some) ? real.remove(some, timeLeft) : real.remove(announcements, timeLeft);
      },
    })),
  },
  {
    flaw: "removing an announcement that is gone fails",
    noticedBy: [FIELDS],
    open: outbox((real) => ({
      remove: async (announcements, timeLeft) => {
        const [{ account, webhook: id }] = announcements;
        const listed = (await real.list({ account, id }, { limit: 1_000, after: null })).unwrapOr(null);
        const stored = (listed?.items ?? []).map(Announcement.position);
        return announcements.every((each) => stored.includes(Announcement.position(each)))
          ? real.remove(announcements, timeLeft)
          : err({ code: "unavailable" });
      },
    })),
  },
  {
    flaw: "removing an announcement removes all of its alias",
    noticedBy: [APART, MODEL, OTHERS_REMOVED],
    open: removing((removed, stored) => removed.alias === stored.alias),
  },
  {
    flaw: "removing an announcement removes those of earlier versions",
    noticedBy: [APART],
    open: removing(
      (removed, stored) =>
        removed.alias === stored.alias &&
        removed.message === stored.message &&
        removed.version > stored.version,
    ),
  },
  {
    flaw: "removing an announcement removes the same one that was made at another time",
    noticedBy: [APART],
    open: removing(
      (removed, stored) =>
        Announcement.position(removed) === Announcement.position({ ...stored, at: removed.at }),
    ),
  },
  {
    flaw: "announcements are listed in ascending order",
    noticedBy: [FIELDS, APART, PAGES, MANY, MODEL, TWO],
    open: () => plainOutbox({ order: (a, b) => RIGHT.order(b, a) }),
  },
  {
    flaw: "announcements are listed in the order of UTF-16",
    noticedBy: [PAGES],
    open: inOrderOf((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
  },
  {
    flaw: "announcements are listed in the order of a dictionary",
    noticedBy: [APART, PAGES],
    open: inOrderOf((a, b) => b.localeCompare(a, "en")),
  },
  {
    flaw: "announcements are listed in the order of their times",
    noticedBy: [APART, PAGES, MODEL],
    open: () => plainOutbox({ order: (a, b) => b.at - a.at || RIGHT.order(a, b) }),
  },
  {
    flaw: "announcements of an alias are listed before those of its messages",
    noticedBy: [APART, PAGES, MODEL],
    open: () =>
      plainOutbox({
        order: (a, b) => {
          const rank = ({ message }: Announcement) => (message === null ? 0 : 1);
          return a.alias === b.alias && rank(a) !== rank(b) ? rank(a) - rank(b) : RIGHT.order(a, b);
        },
      }),
  },
  {
    flaw: "the digits of versions are compared as text",
    noticedBy: [PAGES],
    open: () =>
      plainOutbox({
        order: (a, b) => {
          const isSame = a.alias === b.alias && a.message === b.message && a.version !== b.version;
          return isSame ? (String(a.version) < String(b.version) ? 1 : -1) : RIGHT.order(a, b);
        },
      }),
  },
  {
    flaw: "pages of announcements are short",
    noticedBy: [APART, PAGES, MANY],
    open: () =>
      plainOutbox({
        pageOf: (rest, { limit, after }) => RIGHT.pageOf(rest, { limit: Math.min(limit, 4), after }),
      }),
  },
  {
    flaw: "a full last page of announcements is followed by an empty one",
    noticedBy: [PAGES],
    open: () =>
      plainOutbox({
        pageOf: (rest, request) => {
          const { items, next } = RIGHT.pageOf(rest, request);
          return { items, next: items.length === request.limit ? lastOf(items) : next };
        },
      }),
  },
  {
    flaw: "the next page of announcements begins after its first one",
    noticedBy: [PAGES],
    open: () =>
      plainOutbox({
        pageOf: (rest, request) => {
          const { items, next } = RIGHT.pageOf(rest, request);
          return { items, next: next === null ? null : lastOf(rest.slice(0, request.limit + 1)) };
        },
      }),
  },
  {
    flaw: "a page after an announcement that is gone is empty",
    noticedBy: [PAGES],
    open: outbox((real) => ({
      list: async (webhook, page, timeLeft) => {
        const { items } = (await real.list(webhook, { limit: 1_000, after: null }, timeLeft)).unwrapOr({
          items: [],
        });
        const isGone =
          page.after !== null && !items.some((each) => Announcement.position(each) === page.after);
        return isGone ? ok({ items: [], next: null }) : real.list(webhook, page, timeLeft);
      },
    })),
  },
  {
    flaw: "webhooks of two accounts with the same id are one",
    noticedBy: [ALIKE],
    open: () => plainOutbox({ webhookKey: ({ id }) => id }),
  },
  {
    flaw: "webhooks of accounts whose ids look alike are one",
    noticedBy: [ALIKE],
    open: () =>
      plainOutbox({ webhookKey: ({ account, id }) => JSON.stringify([account.normalize("NFC"), id]) }),
  },
  {
    flaw: "the webhooks of an account are one",
    noticedBy: [SEVERAL, PAGES, HUNDRED, MODEL],
    open: () => plainOutbox({ webhookKey: ({ account }) => account }),
  },
  {
    flaw: "announcements are shared with the caller",
    noticedBy: [LENT],
    open: () => plainOutbox({ copyOf: (announcement) => announcement }),
  },
  {
    flaw: "turns are shared with the caller",
    noticedBy: [LENT],
    open: () => plainOutbox({ copyOfTurn: (turn) => turn }),
  },
  {
    flaw: "the end of a turn is shared with the caller",
    noticedBy: [LENT],
    open: () => {
      const ends = new Map<object, NextTurn>();
      return plainOutbox({
        ended: (box, turn, next) => {
          if (box.turn.until === turn.until) ends.set(box, next);
          return RIGHT.ended(box, turn, next);
        },
        begun: (box, until) => {
          const { failures, failingSince, after } = ends.get(box) ?? box.turn;
          return { ...RIGHT.begun(box, until), failures, failingSince, after };
        },
      });
    },
  },
  {
    flaw: "several servers get the turn of a webhook",
    noticedBy: [SEVERAL, ALIKE, DUE, LOST, MEANWHILE, LONGEST, HUNDRED, MODEL, SERVERS, NEXT, REST, OVER],
    open: () => plainOutbox({ isDue: ({ dueAt }, now) => dueAt !== null && dueAt <= now }),
  },
  {
    flaw: "a turn that does not end never passes on",
    noticedBy: [LENT, LOST],
    open: () => plainOutbox({ isDue: (box, now) => box.turn.until === 0 && RIGHT.isDue(box, now) }),
  },
  {
    flaw: "a turn passes on a millisecond late",
    noticedBy: [LENT, LOST],
    open: () => plainOutbox({ isDue: (box, now) => box.turn.until !== now && RIGHT.isDue(box, now) }),
  },
  {
    flaw: "a turn passes on a millisecond early",
    noticedBy: [DUE, LOST],
    open: () =>
      plainOutbox({
        isDue: ({ dueAt, turn }, now) => dueAt !== null && dueAt <= now && turn.until <= now + 1,
      }),
  },
  {
    flaw: "a turn takes a second, whatever was asked for",
    noticedBy: [LOST],
    open: outbox((real) => ({
      begin: ({ now, limit }, timeLeft) => real.begin({ now, until: now + 1_000, limit }, timeLeft),
    })),
  },
  {
    flaw: "webhooks are due a millisecond late",
    noticedBy: [
      STAYS,
      SEVERAL,
      LENT,
      DUE,
      LOST,
      CONTINUES,
      IDLE,
      MEANWHILE,
      LONGEST,
      HUNDRED,
      MODEL,
      SERVERS,
      NEXT,
      REST,
      OVER,
      AT_THE_END,
      TWO,
    ],
    open: () => plainOutbox({ isDue: (box, now) => box.dueAt !== now && RIGHT.isDue(box, now) }),
  },
  {
    flaw: "webhooks are due as soon as anything is announced, whatever the time",
    noticedBy: [SEVERAL, DUE, IDLE, LONGEST],
    open: () => plainOutbox({ dueAfter: () => 0 }),
  },
  {
    flaw: "webhooks to which nothing is announced any more are not due",
    noticedBy: [ALIKE, MODEL],
    open: () => plainOutbox({ isDue: (box, now) => box.announced.length > 0 && RIGHT.isDue(box, now) }),
  },
  {
    flaw: "an announcement postpones the turn",
    noticedBy: [DUE],
    open: () => plainOutbox({ dueAfter: ({ at }, { dueAt }) => Math.max(dueAt ?? at, at) }),
  },
  {
    flaw: "an announcement advances the turn",
    noticedBy: [DUE],
    open: () => plainOutbox({ dueAfter: ({ at }, { dueAt }) => Math.min(dueAt ?? at, at) }),
  },
  {
    flaw: "an announcement ends the rest of a webhook",
    noticedBy: [DUE],
    open: () => {
      const rested = new Set<object>();
      return plainOutbox({
        dueAfter: (announcement, box) =>
          rested.has(box) ? announcement.at : RIGHT.dueAfter(announcement, box),
        ended: (box, turn, next) => {
          rested.add(box);
          return RIGHT.ended(box, turn, next);
        },
      });
    },
  },
  {
    flaw: "an announcement ends the turn that somebody has",
    noticedBy: [MEANWHILE, MODEL],
    open: () =>
      plainOutbox({
        dueAfter: (announcement, box) => {
          box.turn = { ...box.turn, until: 0 };
          return RIGHT.dueAfter(announcement, box);
        },
      }),
  },
  {
    flaw: "what is announced during a turn does not make the webhook due",
    noticedBy: [MEANWHILE, AT_THE_END],
    open: () => {
      const known = new Map<object, readonly Announcement[]>();
      return plainOutbox({
        begun: (box, until) => {
          known.set(box, box.announced);
          return RIGHT.begun(box, until);
        },
        ended: (box, turn, next) => {
          const announced = box.announced.filter((each) => known.get(box)?.includes(each));
          return RIGHT.ended({ ...box, announced }, turn, next);
        },
      });
    },
  },
  {
    flaw: "who had a turn can end it after somebody else has got it",
    noticedBy: [LOST, CONTINUES, OVER],
    open: () => plainOutbox({ ended: (box, _, next) => RIGHT.ended(box, box.turn, next) }),
  },
  {
    flaw: "a turn that has ended can be ended again",
    noticedBy: [LOST, CONTINUES],
    open: () =>
      plainOutbox({
        ended: (box, turn, next) => RIGHT.ended(box, box.turn.until === 0 ? box.turn : turn, next),
      }),
  },
  {
    flaw: "what who had a turn says at its end is stored, although somebody else has got it",
    noticedBy: [LOST, CONTINUES],
    open: () =>
      plainOutbox({
        ended: (box, turn, next) => {
          const { until } = box.turn;
          const ended = RIGHT.ended(box, box.turn, next);
          return until === turn.until ? ended : { turn: { ...box.turn, ...ended.turn, until } };
        },
      }),
  },
  {
    flaw: "the end of a turn ends all that were begun with it",
    noticedBy: [ALIKE, LONGEST],
    open: outbox((real) => {
      const begun: Turn[] = [];
      return {
        begin: async (turns, timeLeft) =>
          (await real.begin(turns, timeLeft)).map((fresh) => {
            begun.push(...fresh);
            return fresh;
          }),
        end: async (turn, next, timeLeft) => {
          const ended = await real.end(turn, next, timeLeft);
          for (const each of begun.filter(({ until }) => until === turn.until)) {
            await real.end(each, { ...each, dueAt: turn.until }, timeLeft);
          }
          return ended;
        },
      };
    }),
  },
  {
    flaw: "a turn never ends before its time",
    noticedBy: [
      ALIKE,
      LENT,
      DUE,
      LOST,
      CONTINUES,
      IDLE,
      MEANWHILE,
      LONGEST,
      MODEL,
      SERVERS,
      NEXT,
      REST,
      OVER,
      AT_THE_END,
    ],
    open: outbox(() => ({ end: async () => ok() })),
  },
  {
    flaw: "how a turn ended is forgotten",
    noticedBy: [LENT, CONTINUES, IDLE, MODEL, NEXT, OVER],
    open: () =>
      plainOutbox({ copyOfTurn: (turn) => ({ ...turn, failures: 0, failingSince: null, after: null }) }),
  },
  {
    flaw: "where a turn continues is forgotten",
    noticedBy: [LENT, CONTINUES, MODEL],
    open: () => plainOutbox({ copyOfTurn: (turn) => ({ ...turn, after: null }) }),
  },
  {
    flaw: "a time of 0 is read as none",
    noticedBy: [CONTINUES, IDLE],
    open: () => plainOutbox({ copyOfTurn: (turn) => ({ ...turn, failingSince: turn.failingSince || null }) }),
  },
  {
    flaw: "a turn that was not ended is a failure",
    noticedBy: [LENT, LOST],
    open: () =>
      plainOutbox({
        begun: ({ turn }, until) => ({
          ...turn,
          failures: turn.until === 0 ? turn.failures : turn.failures + 1,
          until,
        }),
      }),
  },
  {
    flaw: "the failures of a webhook are forgotten once nothing is announced to it",
    noticedBy: [IDLE],
    open: () =>
      plainOutbox({
        ended: (box, turn, next) =>
          RIGHT.ended(
            box,
            turn,
            box.announced.length > 0 ? next : { ...next, failures: 0, failingSince: null },
          ),
      }),
  },
  {
    flaw: "a webhook does not rest",
    noticedBy: [DUE, MEANWHILE, LONGEST, MODEL, REST],
    open: () => plainOutbox({ ended: (box, turn, next) => RIGHT.ended(box, turn, { ...next, dueAt: 0 }) }),
  },
  {
    flaw: "a webhook rests until its turn would have been over, at most",
    noticedBy: [DUE, REST],
    open: () =>
      plainOutbox({
        ended: (box, turn, next) =>
          RIGHT.ended(box, turn, { ...next, dueAt: Math.min(next.dueAt, turn.until) }),
      }),
  },
  {
    flaw: "a webhook stays due when nothing is announced to it",
    noticedBy: [ALIKE, IDLE],
    open: () =>
      plainOutbox({
        ended: (box, turn, next) => {
          const ended = RIGHT.ended(box, turn, next);
          return ended.dueAt === null ? { ...ended, dueAt: next.dueAt } : ended;
        },
      }),
  },
  {
    flaw: "a webhook is never due again once nothing was announced to it",
    noticedBy: [IDLE, AT_THE_END],
    open: () => {
      const known = new Set<object>();
      return plainOutbox({
        dueAfter: (announcement, box) => {
          const isKnown = known.has(box);
          known.add(box);
          return isKnown ? box.dueAt : RIGHT.dueAfter(announcement, box);
        },
      });
    },
  },
  {
    flaw: "turns begin without a limit",
    noticedBy: [LONGEST, HUNDRED],
    open: outbox((real) => ({
      begin: (turns, timeLeft) => real.begin({ ...turns, limit: 1_000 }, timeLeft),
    })),
  },
  {
    flaw: "one turn begins at a time",
    noticedBy: [ALIKE, LONGEST, HUNDRED, MODEL],
    open: outbox((real) => ({ begin: (turns, timeLeft) => real.begin({ ...turns, limit: 1 }, timeLeft) })),
  },
  {
    flaw: "25 turns begin at a time, at most",
    noticedBy: [HUNDRED],
    open: outbox((real) => ({
      begin: (turns, timeLeft) => real.begin({ ...turns, limit: Math.min(turns.limit, 25) }, timeLeft),
    })),
  },
  {
    flaw: "the turns of those that were announced to first come first",
    noticedBy: [LONGEST],
    open: () => plainOutbox({ inTurn: (due) => due }),
  },
  {
    flaw: "the turns of those that are due last come first",
    noticedBy: [LONGEST],
    open: () => plainOutbox({ inTurn: (due) => RIGHT.inTurn(due).toReversed() }),
  },
  {
    flaw: "the turns of those with the oldest announcements come first",
    noticedBy: [LONGEST],
    open: () => {
      const oldest = (announced: readonly Announcement[]) => Math.min(...announced.map(({ at }) => at));
      return plainOutbox({
        inTurn: (due) => due.toSorted((a, b) => oldest(a.announced) - oldest(b.announced)),
      });
    },
  },
];
