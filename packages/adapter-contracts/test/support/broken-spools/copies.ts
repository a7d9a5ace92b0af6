import { ok } from "@postern/core";
import type { Copy, DueCopy, Message, Spool } from "@postern/mail";
import { type BrokenSpool, MODEL, spool } from "./broken-spool.ts";

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

/** The correct spool, except that messages and copies are changed whenever they are read. */
const readAs = (
  change: (read: { copy: Copy; message: Message }) => { copy: Copy; message: Message },
  ports: readonly ("find" | "take")[] = ["find", "take"],
) =>
  spool((real) => ({
    ...(ports.includes("find") && {
      find: async (id) => (await real.find(id)).map((found) => found && change(found)),
    }),
    ...(ports.includes("take") && {
      take: async (...input) =>
        (await real.take(...input)).map(({ copies, more }) => ({
          copies: copies.map((due) => ({ ...due, ...change(due) })),
          more,
        })),
    }),
  }));

/** The correct spool, except that copies that are due, and not settled, are handed out in another way. */
const handingOut = (choose: (due: readonly DueCopy[], limit: number) => readonly DueCopy[]) =>
  spool((real) => {
    const waiting = new Map<string, DueCopy>();
    const changing = async <T>(call: Promise<T>): Promise<T> => call;
    const ports: Partial<Spool> = {
      take: async (now, limit, except) =>
        (await real.take(now, 10_000, [])).map(({ copies }) => {
          for (const due of copies) waiting.set(due.copy.id, due);
          const possible = [...waiting.values()].filter((due) => !except.includes(accountOf(due)));
          const chosen = choose(possible, limit);
          for (const { copy } of chosen) waiting.delete(copy.id);
          return { copies: chosen, more: chosen.length < possible.length };
        }),
      nextDue: async (after) =>
        (await real.nextDue(after)).map((next) => {
          const times = [...waiting.values()].map(({ copy }) => copy.nextAt).filter((at) => at > after);
          return next === null && times.length === 0
            ? null
            : Math.min(next ?? Number.POSITIVE_INFINITY, ...times);
        }),
      settle: (...args) => changing(real.settle(...args)),
    };
    return ports;
  });

const accountOf = ({ copy: { purpose } }: DueCopy) =>
  purpose.kind === "forward" ? purpose.alias.account : "";

const oldestFirst = (due: readonly DueCopy[]) => [...due].sort((a, b) => a.copy.nextAt - b.copy.nextAt);

export const brokenCopies: readonly BrokenSpool[] = [
  {
    flaw: "only one copy of a message is found",
    noticedBy: [COPIES],
    open: spool((real) => ({
      findAll: async (message) => (await real.findAll(message)).map((copies) => copies.slice(0, 1)),
    })),
  },
  {
    flaw: "headers are read as UTF-8",
    noticedBy: [FIELDS],
    open: readAs(({ copy, message }) => ({
      copy,
      message: { ...message, header: Buffer.from(message.header, "latin1").toString("utf8") },
    })),
  },
  {
    flaw: "the return path is lost",
    noticedBy: [FIELDS, MODEL],
    open: readAs(({ copy, message }) => ({
      copy,
      message: message.origin === "received" ? { ...message, returnPath: "" } : message,
    })),
  },
  {
    flaw: "what was found out about the sender is lost when a copy is handed out",
    noticedBy: [FIELDS, MODEL],
    open: readAs(
      ({ copy, message }) => ({
        copy,
        message:
          message.origin === "received"
            ? { ...message, authentication: { ...message.authentication, spf: "none" } }
            : message,
      }),
      ["take"],
    ),
  },
  {
    flaw: "the tag of an alias is lost",
    noticedBy: [FIELDS],
    open: readAs(({ copy, message }) => ({
      copy:
        copy.purpose.kind === "forward"
          ? {
              ...copy,
              purpose: {
                ...copy.purpose,
                // Sound because an address stays valid without a tag.
                alias: {
                  ...copy.purpose.alias,
                  email: copy.purpose.alias.email.replace(/\+[^@]*/, "") as typeof copy.to,
                },
              },
            }
          : copy,
      message,
    })),
  },
  {
    flaw: "keeping a message again keeps it a second time",
    noticedBy: [AGAIN, MODEL],
    open: spool((real) => {
      const kept = new Set<string>();
      return {
        keep: async (mailing) => {
          if (kept.has(mailing.message.id)) return ok();
          kept.add(mailing.message.id);
          return real.keep(mailing);
        },
      };
    }),
  },
  {
    flaw: "copies are handed out as long as they are due",
    noticedBy: [ONCE, MODEL],
    open: spool((real) => {
      let last: readonly DueCopy[] = [];
      return {
        take: async (now, limit, except) =>
          (await real.take(now, limit, except)).map(({ copies, more }) => {
            last = [...copies, ...last].slice(0, limit);
            return { copies: last, more };
          }),
      };
    }),
  },
  {
    flaw: "copies are handed out a little before they are due",
    noticedBy: [ONCE, MODEL],
    open: spool((real) => ({ take: (now, ...input) => real.take(now + 60_000, ...input) })),
  },
  {
    flaw: "nextDue counts what is handed out",
    noticedBy: [ONCE, MODEL],
    open: spool((real) => {
      const times: number[] = [];
      return {
        take: async (...input) =>
          (await real.take(...input)).map((taken) => {
            times.push(...taken.copies.map(({ copy }) => copy.nextAt));
            return taken;
          }),
        nextDue: async (after) => (await real.nextDue(after)).map((next) => next ?? times[0] ?? null),
      };
    }),
  },
  {
    flaw: "nextDue says when the first copy is due, also if that is over",
    noticedBy: [ONCE, MODEL],
    open: spool((real) => ({ nextDue: () => real.nextDue(0) })),
  },
  {
    flaw: "there are never more copies than were handed out",
    noticedBy: [MORE, EXCEPT, MODEL],
    open: spool((real) => ({
      take: async (...input) => (await real.take(...input)).map((taken) => ({ ...taken, more: false })),
    })),
  },
  {
    flaw: "more copies are thought to be due if as many were handed out as were asked for",
    noticedBy: [MORE, EXCEPT, MODEL],
    open: spool((real) => ({
      take: async (now, limit, except) =>
        (await real.take(now, limit, except)).map(({ copies }) => ({
          copies,
          more: copies.length === limit,
        })),
    })),
  },
  {
    flaw: "accounts are not excepted",
    noticedBy: [EXCEPT, MODEL],
    open: spool((real) => ({ take: (now, limit) => real.take(now, limit, []) })),
  },
  {
    flaw: "copies of excepted accounts are due, but not handed out",
    noticedBy: [EXCEPT, MODEL],
    open: spool((real) => ({
      take: async (now, limit, except) =>
        (await real.take(now, limit, [])).map(({ copies, more }) => ({
          copies: copies.filter((due) => !except.includes(accountOf(due))),
          more,
        })),
    })),
  },
  {
    flaw: "excepted accounts lose their turn",
    noticedBy: [EXCEPT, MODEL],
    open: spool((real) => {
      const lost = new Set<string>();
      return {
        keep: async (mailing) => {
          for (const copy of mailing.copies)
            lost.delete(copy.purpose.kind === "forward" ? copy.purpose.alias.account : "");
          return real.keep(mailing);
        },
        take: async (now, limit, except) => {
          for (const party of except) lost.add(party);
          return real.take(now, limit, [...lost]);
        },
      };
    }),
  },
  {
    flaw: "one account is served after the other",
    noticedBy: [TURNS, MODEL],
    open: handingOut((due, limit) =>
      [...due]
        .sort((a, b) => (accountOf(a) < accountOf(b) ? -1 : 1) || a.copy.nextAt - b.copy.nextAt)
        .slice(0, limit),
    ),
  },
  {
    flaw: "the oldest copies of all accounts come first",
    noticedBy: [TURNS],
    open: handingOut((due, limit) => oldestFirst(due).slice(0, limit)),
  },
  {
    flaw: "the newest copies of an account come first",
    noticedBy: [ORDER, MODEL],
    open: handingOut((due, limit) => oldestFirst(due).reverse().slice(0, limit)),
  },
  {
    flaw: "at most half as many copies are handed out as are due",
    noticedBy: [ONCE, MODEL],
    open: spool((real) => ({ take: (now, limit, except) => real.take(now, Math.floor(limit / 2), except) })),
  },
  {
    flaw: "the list has only one page",
    noticedBy: [LIST, MODEL],
    open: spool((real) => ({
      list: async (page) => (await real.list(page)).map((found) => ({ ...found, next: null })),
    })),
  },
  {
    flaw: "the list lacks copies that are handed out",
    noticedBy: [LIST, MODEL],
    open: spool((real) => {
      const out = new Set<string>();
      return {
        take: async (...input) =>
          (await real.take(...input)).map((taken) => {
            for (const { copy } of taken.copies) out.add(copy.id);
            return taken;
          }),
        list: async (page) =>
          (await real.list(page)).map((found) => ({
            ...found,
            items: found.items.filter(({ id }) => !out.has(id)),
          })),
      };
    }),
  },
  {
    flaw: "a copy that failed cannot be tried again",
    noticedBy: [OPERATOR, MODEL],
    open: spool((real) => ({
      retry: async (id, now) => {
        const found = await real.find(id);
        return found.isOk() && found.value?.copy.state === "failed" ? ok("failed") : real.retry(id, now);
      },
    })),
  },
  {
    flaw: "a copy that is dropped while it is being sent is sent after all",
    noticedBy: [OPERATOR, MODEL],
    open: spool((real) => ({
      settle: async (id, settlement, ifNoneLeft) => {
        const found = await real.find(id);
        if (found.isOk() && found.value?.copy.state === "dropped") await real.retry(id, 0);
        return real.settle(id, settlement, ifNoneLeft);
      },
    })),
  },
  {
    flaw: "dropping a copy makes it fail",
    noticedBy: [OPERATOR, MODEL],
    open: spool((real) => ({
      drop: async (id, now) =>
        (await real.drop(id, now)).map((state) => (state === "dropped" ? ("failed" as const) : state)),
    })),
  },
];
