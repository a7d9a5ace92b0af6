import { compareIds, ok, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Copy, DueCopy, Message } from "@postern/mail";
import {
  answering,
  before,
  changingFirst,
  changingSecond,
  continuing,
  finding,
  ignoringIf,
  isNew,
  listing,
} from "../faults.ts";
import { ALL, type BrokenSpool, copyOf, type Fault, flaw, flawsBy, MODEL, taking } from "./broken-spool.ts";

const FIELDS = "every field of a message and of its copies is read back";
const COPIES = "the copies of a message are found, and no others";
const AGAIN = "keeping a message again changes nothing, and its second body is discarded";
const ONCE = "copies are handed out once until they are settled, even to concurrent callers";
const TURNS = "accounts take turns within a call and from call to call";
const MORE = "taking copies reports whether more are due than were handed out";
const EXCEPT = "excepted accounts get nothing, delay nobody, and get their copies later";
const ORDER =
  "within an account, the copies that have been due longest come first, with the rest of their group";
const LIST = "the operator's list has every queued copy once, in pages of any size";
const OPERATOR =
  "an operator can retry what was not sent, as long as its body is there, and drop what is queued";

type Read = { readonly copy: Copy; readonly message: Message };

/** Messages and copies are changed whenever they are found or handed out. */
const reading = flawsBy(
  (change: (read: Read) => Read): Fault => ({
    find: finding((found) => change(found)),
    take: taking((copies) => copies.map((due) => ({ ...due, ...change(due) }))),
  }),
);

const partyOf = ({ purpose }: Copy): string => (purpose.kind === "forward" ? purpose.alias.account : "");

/** Copies that are due, and not settled, are handed out in another way. */
const handingOut = flawsBy(
  (choose: (due: readonly DueCopy[], limit: number) => readonly DueCopy[]): Fault =>
    () => {
      const waiting = new Map<string, DueCopy>();
      return {
        take: async (take, now, limit, except) =>
          (await take(now, ALL, [])).map(({ copies }) => {
            for (const due of copies) waiting.set(due.copy.id, due);
            const possible = [...waiting.values()].filter(({ copy }) => !except.includes(partyOf(copy)));
            const chosen = choose(possible, limit);
            for (const { copy } of chosen) waiting.delete(copy.id);
            return { copies: chosen, more: chosen.length < possible.length };
          }),
        nextDue: answering((next, after) => {
          const times = [...waiting.values()].map(({ copy }) => copy.nextAt).filter((at) => at > after);
          return next === null && times.length === 0
            ? null
            : Math.min(next ?? Number.POSITIVE_INFINITY, ...times);
        }),
      };
    },
);

const oldestFirst = (due: readonly DueCopy[]) => due.toSorted((a, b) => a.copy.nextAt - b.copy.nextAt);

export const brokenCopies: readonly BrokenSpool[] = [
  flaw("only one copy of a message is found", [COPIES], {
    findAll: answering((copies) => copies.slice(0, 1)),
  }),
  reading("headers are read as UTF-8", [FIELDS], ({ copy, message }) => ({
    copy,
    message: { ...message, header: Buffer.from(message.header, "latin1").toString("utf8") },
  })),
  reading("the return path is lost", [FIELDS, MODEL], ({ copy, message }) => ({
    copy,
    message: message.origin === "received" ? { ...message, returnPath: "" } : message,
  })),
  flaw("what was found out about the sender is lost when a copy is handed out", [FIELDS, MODEL], {
    take: taking((copies) =>
      copies.map((due) =>
        due.message.origin === "received"
          ? {
              ...due,
              message: { ...due.message, authentication: { ...due.message.authentication, spf: "none" } },
            }
          : due,
      ),
    ),
  }),
  reading("the tag of an alias is lost", [FIELDS], ({ copy, message }) => {
    if (copy.purpose.kind !== "forward") return { copy, message };
    const { alias } = copy.purpose;
    const email = valueOf(parseEmailAddress(alias.email.replace(/\+[^@]*/, "")));
    return { copy: { ...copy, purpose: { ...copy.purpose, alias: { ...alias, email } } }, message };
  }),
  reading("the tag of the address that a message was sent to is lost", [FIELDS], ({ copy, message }) => {
    if (copy.purpose.kind !== "forward") return { copy, message };
    return { copy: { ...copy, purpose: { ...copy.purpose, tag: null } }, message };
  }),
  flaw("keeping a message again keeps it a second time", [AGAIN, MODEL], (_, seen) => ({
    keep: ignoringIf(({ message }) => !isNew(seen, message.id)),
  })),
  flaw("copies are handed out as long as they are due", [ONCE, MODEL], () => {
    let last: readonly DueCopy[] = [];
    return {
      take: answering(({ copies, more }, _now, limit) => {
        last = [...copies, ...last].slice(0, limit);
        return { copies: last, more };
      }),
    };
  }),
  flaw("copies are handed out a little before they are due", [ONCE, MODEL], {
    take: changingFirst((now) => now + 60_000),
  }),
  flaw("nextDue counts what is handed out", [ONCE, MODEL], () => {
    const times: number[] = [];
    return {
      take: taking((copies) => {
        times.push(...copies.map(({ copy }) => copy.nextAt));
        return copies;
      }),
      nextDue: answering((next) => next ?? times[0] ?? null),
    };
  }),
  flaw("nextDue says when the first copy is due, also if that is over", [ONCE, MODEL], {
    nextDue: changingFirst(() => 0),
  }),
  flaw("there are never more copies than were handed out", [MORE, EXCEPT, MODEL], {
    take: answering(({ copies }) => ({ copies, more: false })),
  }),
  flaw(
    "more copies are thought to be due if as many were handed out as were asked for",
    [MORE, EXCEPT, MODEL],
    { take: answering(({ copies }, _now, limit) => ({ copies, more: copies.length === limit })) },
  ),
  flaw("accounts are not excepted", [EXCEPT, MODEL], { take: (take, now, limit) => take(now, limit, []) }),
  flaw("copies of excepted accounts are due, but not handed out", [EXCEPT, MODEL], {
    take: async (take, now, limit, except) =>
      (await take(now, limit, [])).map(({ copies, more }) => ({
        copies: copies.filter(({ copy }) => !except.includes(partyOf(copy))),
        more,
      })),
  }),
  flaw("excepted accounts lose their turn", [EXCEPT, MODEL], (_, seen) => ({
    keep: before(({ copies }) => {
      for (const copy of copies) seen.delete(partyOf(copy));
    }),
    take: (take, now, limit, except) => {
      for (const party of except) seen.add(party);
      return take(now, limit, [...seen]);
    },
  })),
  handingOut("one account is served after the other", [TURNS, MODEL], (due, limit) =>
    oldestFirst(due)
      .sort((a, b) => compareIds(partyOf(a.copy), partyOf(b.copy)))
      .slice(0, limit),
  ),
  handingOut("the oldest copies of all accounts come first", [TURNS], (due, limit) =>
    oldestFirst(due).slice(0, limit),
  ),
  handingOut("the newest copies of an account come first", [ORDER, MODEL], (due, limit) =>
    oldestFirst(due).reverse().slice(0, limit),
  ),
  flaw("at most half as many copies are handed out as are due", [ONCE, MODEL], {
    take: changingSecond((limit) => Math.floor(limit / 2)),
  }),
  flaw("the list has only one page", [LIST, MODEL], { list: continuing(() => null) }),
  flaw("the list lacks copies that are handed out", [LIST, MODEL], (_, seen) => ({
    take: taking((copies) => {
      for (const { copy } of copies) seen.add(copy.id);
      return copies;
    }),
    list: listing((items) => items.filter(({ id }) => !seen.has(id))),
  })),
  flaw("a copy that failed cannot be tried again", [OPERATOR, MODEL], (spool) => ({
    retry: async (retry, id, now) =>
      (await copyOf(spool, id))?.state === "failed" ? ok("failed") : retry(id, now),
  })),
  flaw("a copy that is dropped while it is being sent is sent after all", [OPERATOR, MODEL], (spool) => ({
    settle: before(async (id) => {
      if ((await copyOf(spool, id))?.state === "dropped") await spool.retry(id, 0);
    }),
  })),
  flaw("dropping a copy makes it fail", [OPERATOR, MODEL], {
    drop: answering((state) => (state === "dropped" ? "failed" : state)),
  }),
];
