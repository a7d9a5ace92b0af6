import { randomUUID } from "node:crypto";
import { ok } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  type NextTurn,
  pageOf,
  type Turn,
} from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { after, answering, before, changingFirst, failingIf, ignoring, isNew } from "../faults.ts";
import { plainStore } from "../plain-store/index.ts";
import { type OutboxRules, RIGHT } from "../plain-store/outbox.ts";
import { keyOf } from "../stored.ts";
import { type Broken, flaw, flawOf } from "./broken.ts";

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

/** The checks of single turns that end. */
const TURNS = [DUE, LOST, CONTINUES, IDLE, MEANWHILE, LONGEST, MODEL, SERVERS, NEXT, REST, OVER, AT_THE_END];

const plain = flawOf((outbox?: Partial<OutboxRules>) => plainStore({ outbox }));

/** What is stored and returned is changed. */
const stored = (
  flawed: string,
  noticedBy: readonly string[],
  change: (announcement: Announcement) => Announcement,
): Broken => plain(flawed, noticedBy, { copyOf: (announcement) => change(RIGHT.copyOf(announcement)) });

/** Announcements to a webhook are one if they have these fields in common. */
const keyedBy = (flawed: string, noticedBy: readonly string[], ...fields: (keyof Announcement)[]): Broken =>
  plain(flawed, noticedBy, {
    keyOf: (announcement) => JSON.stringify(fields.map((field) => announcement[field])),
  });

/** Removing an announcement also removes others. */
const removing = (
  flawed: string,
  noticedBy: readonly string[],
  others: (removed: Announcement, stored: Announcement) => boolean,
): Broken =>
  plain(flawed, noticedBy, {
    removes: (removed, stored) => RIGHT.removes(removed, stored) || others(removed, stored),
  });

const lastOf = (items: readonly Announcement[]): AnnouncementPosition | null => {
  const last = items.at(-1);
  return last === undefined ? null : Announcement.position(last);
};

export const brokenOutbox: readonly Broken[] = [
  flaw(
    "announcements are not stored",
    [STAYS, FIELDS, APART, SEVERAL, PAGES, MANY, ALIKE, LENT, HUNDRED, ...TURNS, OTHERS_REMOVED, TWO],
    { "outbox.announce": ignoring },
  ),
  stored(
    "an announcement of a message is stored as one of its alias",
    [FIELDS, APART, PAGES, MODEL],
    (announcement) => ({ ...announcement, message: null }),
  ),
  stored(
    "the version that is announced is not stored",
    [FIELDS, APART, PAGES, MANY, MODEL, OTHERS_REMOVED],
    (announcement) => ({ ...announcement, version: 1 }),
  ),
  stored(
    "the time of an announcement is stored in seconds",
    [FIELDS, APART, SEVERAL, PAGES, ALIKE, IDLE, MEANWHILE, MODEL],
    (announcement) => ({ ...announcement, at: announcement.at - (announcement.at % 1_000) }),
  ),
  keyedBy("announcements of two aliases are one", [APART, TWO], "message", "version", "at"),
  keyedBy(
    "announcements of an alias and of its messages are one",
    [APART, PAGES, MODEL],
    "alias",
    "version",
    "at",
  ),
  keyedBy("announcements of two versions are one", [APART, PAGES, MODEL], "alias", "message", "at"),
  keyedBy("announcements made at two times are one", [APART, PAGES], "alias", "message", "version"),
  plain("alias and message are joined into one key", [APART], {
    keyOf: ({ alias, message, version, at }) => JSON.stringify([`${alias}${message ?? ""}`, version, at]),
  }),
  plain("what is announced again is listed twice", [FIELDS, MODEL], { keyOf: () => randomUUID() }),
  flaw("of several announcements made at once, the first one is stored", [APART, SEVERAL, MODEL], {
    "outbox.announce": changingFirst(([first]) => [first]),
  }),
  flaw("announcements made at once are all to the same webhook", [SEVERAL, MODEL], {
    "outbox.announce": changingFirst(([first, ...others]) => [
      first,
      ...others.map((each) => ({ ...each, webhook: first.webhook })),
    ]),
  }),
  flaw(
    "of several webhooks to which something is announced at once, one is due",
    [SEVERAL, MODEL],
    (_, seen) => ({
      "outbox.announce": before(([{ webhook }]) => seen.add(webhook)),
      "outbox.begin": answering((begun) => begun.filter(({ id }) => seen.has(id))),
    }),
  ),
  flaw(
    "announcements stay when they are removed",
    [FIELDS, APART, SEVERAL, MANY, ALIKE, IDLE, MEANWHILE, MODEL, AT_THE_END, OTHERS_REMOVED],
    { "outbox.remove": ignoring },
  ),
  flaw("of several announcements removed at once, the first one is removed", [FIELDS, MANY, MODEL], {
    "outbox.remove": changingFirst(([first]) => [first]),
  }),
  flaw("25 announcements are removed at once, at most", [MANY], {
    "outbox.remove": changingFirst(([first, ...others]) => [first, ...others.slice(0, 24)]),
  }),
  flaw("removing an announcement that is gone fails", [FIELDS], ({ outbox }) => ({
    "outbox.remove": failingIf({ code: "unavailable" }, async (announcements) => {
      const [{ account, webhook: id }] = announcements;
      const { items } = valueOf(await outbox.list({ account, id }, { limit: 1_000, after: null }));
      const stored = items.map(Announcement.position);
      return !announcements.every((each) => stored.includes(Announcement.position(each)));
    }),
  })),
  removing(
    "removing an announcement removes all of its alias",
    [APART, MODEL, OTHERS_REMOVED],
    (removed, stored) => removed.alias === stored.alias,
  ),
  removing(
    "removing an announcement removes those of earlier versions",
    [APART],
    ({ alias, message, version }, stored) =>
      alias === stored.alias && message === stored.message && version > stored.version,
  ),
  removing(
    "removing an announcement removes the same one that was made at another time",
    [APART],
    (removed, stored) =>
      Announcement.position(removed) === Announcement.position({ ...stored, at: removed.at }),
  ),
  plain("announcements are listed in ascending order", [FIELDS, APART, PAGES, MANY, MODEL, TWO], {
    order: (a, b) => RIGHT.order(b, a),
  }),
  plain("announcements are listed in the order of UTF-16", [PAGES], {
    order: (a, b) => (Announcement.position(a) < Announcement.position(b) ? 1 : -1),
  }),
  plain("announcements are listed in the order of a dictionary", [APART, PAGES], {
    order: (a, b) => Announcement.position(b).localeCompare(Announcement.position(a), "en"),
  }),
  plain("announcements are listed in the order of their times", [APART, PAGES, MODEL], {
    order: (a, b) => b.at - a.at || RIGHT.order(a, b),
  }),
  plain("announcements of an alias are listed before those of its messages", [APART, PAGES, MODEL], {
    order: (a, b) => {
      const rank = ({ message }: Announcement) => (message === null ? 0 : 1);
      return a.alias === b.alias && rank(a) !== rank(b) ? rank(a) - rank(b) : RIGHT.order(a, b);
    },
  }),
  plain("the digits of versions are compared as text", [PAGES], {
    order: (a, b) => {
      const isSame = a.alias === b.alias && a.message === b.message && a.version !== b.version;
      return isSame ? (String(a.version) < String(b.version) ? 1 : -1) : RIGHT.order(a, b);
    },
  }),
  plain("pages of announcements are short", [APART, PAGES, MANY], {
    pageOf: (rest, { limit }) => pageOf(rest, Math.min(limit, 4), Announcement.position),
  }),
  plain("a full last page of announcements is followed by an empty one", [PAGES], {
    pageOf: (rest, request) => {
      const { items, next } = RIGHT.pageOf(rest, request);
      return { items, next: items.length === request.limit ? lastOf(items) : next };
    },
  }),
  plain("the next page of announcements begins after its first one", [PAGES], {
    pageOf: (rest, request) => {
      const { items, next } = RIGHT.pageOf(rest, request);
      return { items, next: next === null ? null : lastOf(rest.slice(0, request.limit + 1)) };
    },
  }),
  flaw("a page after an announcement that is gone is empty", [PAGES], {
    "outbox.list": async (list, webhook, page) => {
      const { items } = valueOf(await list(webhook, { limit: 1_000, after: null }));
      const isGone = page.after !== null && !items.map(Announcement.position).includes(page.after);
      return isGone ? ok({ items: [], next: null }) : list(webhook, page);
    },
  }),
  plain("webhooks of two accounts with the same id are one", [ALIKE], { webhookKey: ({ id }) => id }),
  plain("webhooks of accounts whose ids look alike are one", [ALIKE], {
    webhookKey: ({ account, id }) => JSON.stringify([account.normalize("NFC"), id]),
  }),
  plain("the webhooks of an account are one", [SEVERAL, PAGES, HUNDRED, MODEL], {
    webhookKey: ({ account }) => account,
  }),
  plain("announcements are shared with the caller", [LENT], { copyOf: (announcement) => announcement }),
  plain("turns are shared with the caller", [LENT], { copyOfTurn: (turn) => turn }),
  plain("the end of a turn is shared with the caller", [LENT], () => {
    const ends = new Map<string, NextTurn>();
    return {
      ended: (box, turn, next) => {
        if (box.turn.until === turn.until) ends.set(keyOf(turn), next);
        return RIGHT.ended(box, turn, next);
      },
      begun: (box, until) => {
        const { failures, failingSince, after } = ends.get(keyOf(box.turn)) ?? box.turn;
        return { ...RIGHT.begun(box, until), failures, failingSince, after };
      },
    };
  }),
  plain(
    "several servers get the turn of a webhook",
    [SEVERAL, ALIKE, DUE, LOST, MEANWHILE, LONGEST, HUNDRED, MODEL, SERVERS, NEXT, REST, OVER],
    { isDue: ({ dueAt }, now) => dueAt !== null && dueAt <= now },
  ),
  plain("a turn that does not end never passes on", [LENT, LOST], {
    isDue: (box, now) => box.turn.until === 0 && RIGHT.isDue(box, now),
  }),
  plain("a turn passes on a millisecond late", [LENT, LOST], {
    isDue: (box, now) => box.turn.until !== now && RIGHT.isDue(box, now),
  }),
  plain("a turn passes on a millisecond early", [DUE, LOST], {
    isDue: ({ dueAt, turn }, now) => dueAt !== null && dueAt <= now && turn.until <= now + 1,
  }),
  flaw("a turn takes a second, whatever was asked for", [LOST], {
    "outbox.begin": changingFirst(({ now, limit }) => ({ now, until: now + 1_000, limit })),
  }),
  plain("webhooks are due a millisecond late", [STAYS, SEVERAL, LENT, HUNDRED, ...TURNS, TWO], {
    isDue: (box, now) => box.dueAt !== now && RIGHT.isDue(box, now),
  }),
  plain(
    "webhooks are due as soon as anything is announced, whatever the time",
    [SEVERAL, DUE, IDLE, LONGEST],
    { dueAfter: () => 0 },
  ),
  plain("webhooks to which nothing is announced any more are not due", [ALIKE, MODEL], {
    isDue: (box, now) => box.announced.length > 0 && RIGHT.isDue(box, now),
  }),
  plain("an announcement postpones the turn", [DUE], {
    dueAfter: ({ at }, dueAt) => Math.max(dueAt ?? at, at),
  }),
  plain("an announcement advances the turn", [DUE], {
    dueAfter: ({ at }, dueAt) => Math.min(dueAt ?? at, at),
  }),
  plain("an announcement ends the rest of a webhook", [DUE], () => {
    const rested = new Set<string>();
    return {
      dueAfter: ({ at }, dueAt, { turn }) => (rested.has(keyOf(turn)) ? at : (dueAt ?? at)),
      ended: (box, turn, next) => {
        rested.add(keyOf(turn));
        return RIGHT.ended(box, turn, next);
      },
    };
  }),
  plain("an announcement ends the turn that somebody has", [MEANWHILE, MODEL], {
    dueAfter: ({ at }, dueAt, box) => {
      box.turn = { ...box.turn, until: 0 };
      return dueAt ?? at;
    },
  }),
  plain("what is announced during a turn does not make the webhook due", [MEANWHILE, AT_THE_END], () => {
    const known = new Map<string, readonly Announcement[]>();
    return {
      begun: (box, until) => {
        known.set(keyOf(box.turn), box.announced);
        return RIGHT.begun(box, until);
      },
      ended: (box, turn, next) => {
        const announced = box.announced.filter((each) => known.get(keyOf(turn))?.includes(each));
        return RIGHT.ended({ ...box, announced }, turn, next);
      },
    };
  }),
  plain("who had a turn can end it after somebody else has got it", [LOST, CONTINUES, OVER], {
    ended: (box, _, next) => RIGHT.ended(box, box.turn, next),
  }),
  plain("a turn that has ended can be ended again", [LOST, CONTINUES], {
    ended: (box, turn, next) => RIGHT.ended(box, box.turn.until === 0 ? box.turn : turn, next),
  }),
  plain(
    "what who had a turn says at its end is stored, although somebody else has got it",
    [LOST, CONTINUES],
    {
      ended: (box, turn, next) => {
        const { until } = box.turn;
        const ended = RIGHT.ended(box, box.turn, next);
        return until === turn.until ? ended : { turn: { ...box.turn, ...ended.turn, until } };
      },
    },
  ),
  flaw("the end of a turn ends all that were begun with it", [ALIKE, LONGEST], ({ outbox }) => {
    const turns: Turn[] = [];
    return {
      "outbox.begin": answering((begun) => {
        turns.push(...begun);
        return begun;
      }),
      "outbox.end": after(async ({ until }) => {
        for (const each of turns.filter((turn) => turn.until === until)) {
          await outbox.end(each, { ...each, dueAt: until });
        }
      }),
    };
  }),
  flaw("a turn never ends before its time", [ALIKE, LENT, ...TURNS], { "outbox.end": ignoring }),
  plain("how a turn ended is forgotten", [LENT, CONTINUES, IDLE, MODEL, NEXT, OVER], {
    copyOfTurn: (turn) => ({ ...turn, failures: 0, failingSince: null, after: null }),
  }),
  plain("where a turn continues is forgotten", [LENT, CONTINUES, MODEL], {
    copyOfTurn: (turn) => ({ ...turn, after: null }),
  }),
  plain("a time of 0 is read as none", [CONTINUES, IDLE], {
    copyOfTurn: (turn) => ({ ...turn, failingSince: turn.failingSince || null }),
  }),
  plain("a turn that was not ended is a failure", [LENT, LOST], {
    begun: ({ turn }, until) => ({
      ...turn,
      failures: turn.until === 0 ? turn.failures : turn.failures + 1,
      until,
    }),
  }),
  plain("the failures of a webhook are forgotten once nothing is announced to it", [IDLE], {
    ended: (box, turn, next) =>
      RIGHT.ended(box, turn, box.announced.length > 0 ? next : { ...next, failures: 0, failingSince: null }),
  }),
  plain("a webhook does not rest", [DUE, MEANWHILE, LONGEST, MODEL, REST], {
    ended: (box, turn, next) => RIGHT.ended(box, turn, { ...next, dueAt: 0 }),
  }),
  plain("a webhook rests until its turn would have been over, at most", [DUE, REST], {
    ended: (box, turn, next) => RIGHT.ended(box, turn, { ...next, dueAt: Math.min(next.dueAt, turn.until) }),
  }),
  plain("a webhook stays due when nothing is announced to it", [ALIKE, IDLE], {
    ended: (box, turn, next) => {
      const ended = RIGHT.ended(box, turn, next);
      return ended.dueAt === null ? { ...ended, dueAt: next.dueAt } : ended;
    },
  }),
  plain("a webhook is never due again once nothing was announced to it", [IDLE, AT_THE_END], () => {
    const known = new Set<string>();
    return { dueAfter: ({ at }, dueAt, { turn }) => (isNew(known, keyOf(turn)) ? (dueAt ?? at) : dueAt) };
  }),
  flaw("turns begin without a limit", [LONGEST, HUNDRED], {
    "outbox.begin": changingFirst((turns) => ({ ...turns, limit: 1_000 })),
  }),
  flaw("one turn begins at a time", [ALIKE, LONGEST, HUNDRED, MODEL], {
    "outbox.begin": changingFirst((turns) => ({ ...turns, limit: 1 })),
  }),
  flaw("25 turns begin at a time, at most", [HUNDRED], {
    "outbox.begin": changingFirst((turns) => ({ ...turns, limit: Math.min(turns.limit, 25) })),
  }),
  plain("the turns of those that were announced to first come first", [LONGEST], { inTurn: (due) => due }),
  plain("the turns of those that are due last come first", [LONGEST], {
    inTurn: (due) => RIGHT.inTurn(due).toReversed(),
  }),
  plain("the turns of those with the oldest announcements come first", [LONGEST], {
    inTurn: (due) => {
      const oldest = ({ announced }: (typeof due)[number]) => Math.min(...announced.map(({ at }) => at));
      return due.toSorted((a, b) => oldest(a) - oldest(b));
    },
  }),
];
