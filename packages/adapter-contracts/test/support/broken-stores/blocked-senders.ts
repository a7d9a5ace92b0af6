import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import {
  type AccountId,
  type BlockedSender,
  type Domain,
  type EmailAddress,
  err,
  NO_LIMITS,
  ok,
  parseAccountId,
  parseSender,
  Sender,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Broken, blockedSenders } from "./broken.ts";

const FIELDS = "every field of a blocked sender is read back";
const ONCE = "a sender is blocked once, and stays as it was first blocked";
const COVERS = "a blocked address covers itself, and a blocked domain all addresses below it";
const UNBLOCKED = "an unblocked sender is accepted again, unless another blocked sender covers it";
const ACCOUNTS = "each account blocks senders for itself, with any ids";
const ID = "an id belongs to one blocked sender of the account";
const LIMIT = "an account blocks as many senders as its limit allows, and no more";
const PAGES = "pages of any size list the blocked senders of an account once, in order";
const LISTED = "accounts lists an account that has only blocked senders, until it has none";
const MODEL =
  "after every step of a random sequence of calls about blocked senders, the store matches a plain model";
const RACE = "blocking a sender races with unblocking it: one takes effect after the other";

/** The correct store, except that it stores blocked senders other than those it is given. */
const storing = (change: (blocked: BlockedSender) => BlockedSender): Broken["open"] =>
  blockedSenders((real) => ({ block: (blocked, limits) => real.block(change(blocked), limits) }));

/** The correct store, except that it compares an address with the senders that have these keys. */
const comparing = (keysOf: (author: EmailAddress | Domain) => readonly string[]): Broken["open"] =>
  blockedSenders((real) => ({
    isBlocked: async (account, email) => {
      const keys = keysOf(email);
      const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
      return ok(items.some(({ sender }) => keys.includes(Sender.key(sender))));
    },
  }));

/** The correct store, except that all accounts with the same `fold` are one. */
const folding = (fold: (account: AccountId) => string): Broken["open"] =>
  blockedSenders((real) => {
    const folded = (account: AccountId) => valueOf(parseAccountId(fold(account)));
    return {
      block: (blocked, limits) => real.block({ ...blocked, account: folded(blocked.account) }, limits),
      unblock: (account, id) => real.unblock(folded(account), id),
      isBlocked: (account, email) => real.isBlocked(folded(account), email),
      list: async (account, page) =>
        (await real.list(folded(account), page)).map(({ items, next }) => ({
          items: items.map((each) => ({ ...each, account })),
          next,
        })),
    };
  });

export const brokenBlockedSenders: readonly Broken[] = [
  {
    flaw: "the time of blocking is lost",
    noticedBy: [FIELDS],
    open: storing((blocked) => ({ ...blocked, createdAt: 0 })),
  },
  {
    flaw: "a blocked address is stored in lower case",
    noticedBy: [FIELDS],
    open: storing((blocked) => ({ ...blocked, sender: valueOf(parseSender(blocked.sender.toLowerCase())) })),
  },
  {
    flaw: "a sender that is blocked again is new",
    noticedBy: [FIELDS, ONCE, MODEL],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) =>
        (await real.block(blocked, limits)).map((result) => ({ ...result, isNew: true })),
    })),
  },
  {
    flaw: "a sender that is blocked again replaces the first one",
    noticedBy: [ONCE, MODEL],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) => {
        const result = await real.block(blocked, limits);
        if (result.isErr() || result.value.isNew) return result;
        await real.unblock(blocked.account, result.value.blocked.id);
        await real.block(blocked, NO_LIMITS);
        return ok({ blocked, isNew: false });
      },
    })),
  },
  {
    flaw: "an address in upper case is another sender",
    noticedBy: [ONCE, MODEL],
    open: blockedSenders((real) => {
      const upper = new Map<string, BlockedSender>();
      return {
        block: async (blocked, limits) => {
          if (!blocked.sender.startsWith("BOB")) return real.block(blocked, limits);
          const key = JSON.stringify([blocked.account, blocked.sender]);
          const isNew = !upper.has(key);
          const stored = upper.get(key) ?? blocked;
          upper.set(key, stored);
          return ok({ blocked: stored, isNew });
        },
      };
    }),
  },
  {
    flaw: "a blocked address does not cover itself in another case",
    noticedBy: [COVERS],
    open: blockedSenders((real) => ({
      isBlocked: async (account, email) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        const texts: readonly string[] = [email, ...Sender.keysOf(email).slice(1)];
        return ok(items.some(({ sender }) => texts.includes(sender)));
      },
    })),
  },
  {
    flaw: "a blocked domain does not cover its subdomains",
    noticedBy: [COVERS, UNBLOCKED, MODEL],
    open: comparing((email) => Sender.keysOf(email).slice(0, 2)),
  },
  {
    flaw: "a blocked domain covers its subdomains, but not itself",
    noticedBy: [COVERS, ACCOUNTS, MODEL],
    open: comparing((email) => Sender.keysOf(email).filter((_, n) => n !== 1)),
  },
  {
    flaw: "only the first five domains of an address are compared",
    noticedBy: [COVERS],
    open: comparing((email) => Sender.keysOf(email).slice(0, 6)),
  },
  {
    flaw: "only the last five domains of an address are compared",
    noticedBy: [COVERS],
    open: comparing((author) => [author.toLowerCase(), ...Sender.keysOf(author).slice(1).slice(-5)]),
  },
  {
    flaw: "a blocked domain covers all domains that end like it",
    noticedBy: [COVERS, MODEL],
    open: blockedSenders((real) => ({
      isBlocked: async (account, email) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        return ok(items.some(({ sender }) => email.toLowerCase().endsWith(Sender.key(sender))));
      },
    })),
  },
  {
    flaw: "a blocked address covers its domain",
    noticedBy: [COVERS],
    open: blockedSenders((real) => ({
      isBlocked: async (account, email) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        const keys = Sender.keysOf(email);
        return ok(items.some(({ sender }) => keys.includes(sender.replace(/^.*@/, ""))));
      },
    })),
  },
  {
    flaw: "an unblocked sender stays blocked",
    noticedBy: [UNBLOCKED, ACCOUNTS, PAGES, LISTED, MODEL],
    open: blockedSenders(() => ({ unblock: async () => ok() })),
  },
  {
    flaw: "unblocking one sender unblocks all",
    noticedBy: [UNBLOCKED, PAGES, MODEL],
    open: blockedSenders((real) => ({
      unblock: async (account) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        for (const { id } of items) await real.unblock(account, id);
        return ok();
      },
    })),
  },
  {
    flaw: "unblocking a domain unblocks the addresses below it",
    noticedBy: [MODEL],
    open: blockedSenders((real) => ({
      unblock: async (account, id) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        const domain = items.find((each) => each.id === id)?.sender;
        for (const each of items)
          if (each.sender.endsWith(`@${domain}`)) await real.unblock(account, each.id);
        return real.unblock(account, id);
      },
    })),
  },
  {
    flaw: "unblocking a sender that is not blocked fails",
    noticedBy: [UNBLOCKED, LIMIT, MODEL],
    open: blockedSenders((real) => ({
      unblock: async (account, id) => {
        const { items } = valueOf(await real.list(account, { limit: 100, after: null }));
        return items.some((each) => each.id === id)
          ? real.unblock(account, id)
          : err({ code: "unavailable" });
      },
    })),
  },
  {
    flaw: "a sender is blocked by all accounts",
    noticedBy: [ACCOUNTS],
    open: folding(() => "all"),
  },
  {
    flaw: "accounts whose ids look alike block senders together",
    noticedBy: [ACCOUNTS],
    open: folding((account) => account.normalize("NFC")),
  },
  {
    flaw: "a blocked sender is unblocked by its id alone",
    noticedBy: [ACCOUNTS],
    open: blockedSenders((real) => {
      const accounts = new Set<AccountId>();
      return {
        block: (blocked, limits) => {
          accounts.add(blocked.account);
          return real.block(blocked, limits);
        },
        unblock: async (_, id) => {
          for (const account of accounts) await real.unblock(account, id);
          return ok();
        },
      };
    }),
  },
  {
    flaw: "a blocked sender replaces another one with its id",
    noticedBy: [ID],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) => {
        const result = await real.block(blocked, limits);
        if (result.isOk() || result.error.code !== "conflict") return result;
        await real.unblock(blocked.account, blocked.id);
        return real.block(blocked, limits);
      },
    })),
  },
  {
    flaw: "a blocked sender whose id is in use is not stored, but counts as blocked",
    noticedBy: [ID],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) =>
        (await real.block(blocked, limits)).orElse((error) =>
          error.code === "conflict" ? ok({ blocked, isNew: true }) : err(error),
        ),
    })),
  },
  {
    flaw: "no limit applies to blocked senders",
    noticedBy: [LIMIT, MODEL],
    open: blockedSenders((real) => ({ block: (blocked) => real.block(blocked, NO_LIMITS) })),
  },
  {
    flaw: "one blocked sender more than the limit is allowed",
    noticedBy: [LIMIT, MODEL],
    open: blockedSenders((real) => ({
      block: (blocked, { blockedSenders: limit }) =>
        real.block(blocked, { blockedSenders: limit === 0 ? 0 : limit + 1 }),
    })),
  },
  {
    flaw: "the limit applies to senders that are blocked already",
    noticedBy: [LIMIT],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) => {
        const limit = limits.blockedSenders;
        const { items } = valueOf(await real.list(blocked.account, { limit: 100, after: null }));
        return limit > 0 && items.length >= limit
          ? err({ code: "too_many_blocked_senders", limit })
          : real.block(blocked, limits);
      },
    })),
  },
  {
    flaw: "a limit of 0 allows no blocked sender",
    noticedBy: [FIELDS, LIMIT, MODEL],
    open: blockedSenders((real) => ({
      block: async (blocked, limits) =>
        limits.blockedSenders === 0
          ? err({ code: "too_many_blocked_senders", limit: 0 })
          : real.block(blocked, limits),
    })),
  },
  {
    flaw: "what an account has unblocked still counts",
    noticedBy: [LIMIT],
    open: blockedSenders((real) => {
      const counts = new Map<AccountId, number>();
      return {
        block: async (blocked, limits) => {
          const count = counts.get(blocked.account) ?? 0;
          const limit = limits.blockedSenders;
          const { items } = valueOf(await real.list(blocked.account, { limit: 100, after: null }));
          const isKnown = items.some(({ sender }) => sender === blocked.sender);
          if (!isKnown && limit > 0 && count >= limit) {
            return err({ code: "too_many_blocked_senders", limit });
          }
          const result = await real.block(blocked, limits);
          if (result.isOk() && result.value.isNew) counts.set(blocked.account, count + 1);
          return result;
        },
      };
    }),
  },
  {
    flaw: "blocked senders are listed in the order of blocking",
    noticedBy: [PAGES],
    open: blockedSenders((real) => {
      const order: string[] = [];
      return {
        block: (blocked, limits) => {
          order.push(blocked.id);
          return real.block(blocked, limits);
        },
        list: async (account, page) =>
          (await real.list(account, page)).map(({ items, next }) => ({
            items: items.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)),
            next,
          })),
      };
    }),
  },
  {
    flaw: "pages of blocked senders are short",
    noticedBy: [PAGES],
    open: blockedSenders((real) => ({
      list: (account, { limit, after }) => real.list(account, { limit: Math.min(limit, 4), after }),
    })),
  },
  {
    flaw: "a full page of blocked senders is never the last",
    noticedBy: [PAGES],
    open: blockedSenders((real) => ({
      list: async (account, page) =>
        (await real.list(account, page)).map(({ items, next }) => ({
          items,
          next: next ?? (items.length === page.limit ? (items.at(-1)?.id ?? null) : null),
        })),
    })),
  },
  {
    flaw: "an account that has only blocked senders is not listed",
    noticedBy: [LISTED],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) => {
          const listed = valueOf(await store.accounts(page));
          const items: AccountId[] = [];
          for (const account of listed.items) {
            const own = valueOf(await store.recipients.list(account, { limit: 1, after: null }));
            if (own.items.length > 0) items.push(account);
          }
          return ok({ ...listed, items });
        },
      };
    },
  },
  {
    flaw: "an unblocked sender leaves what mail is compared with for a turn",
    noticedBy: [RACE],
    open: () => {
      const store = memoryStore();
      /** What mail is compared with: the account, and the key of a sender. */
      const leads = new Set<string>();
      const leadOf = (account: AccountId, key: string) => JSON.stringify([account, key]);
      const find = async (account: AccountId, id: string) => {
        const { items } = valueOf(await store.blockedSenders.list(account, { limit: 100, after: null }));
        return items.find((each) => each.id === id);
      };
      return {
        ...store,
        blockedSenders: {
          ...store.blockedSenders,
          block: async (blocked, limits) => {
            const result = await store.blockedSenders.block(blocked, limits);
            if (result.isOk()) leads.add(leadOf(blocked.account, Sender.key(blocked.sender)));
            return result;
          },
          unblock: async (account, id) => {
            const blocked = await find(account, id);
            const unblocked = await store.blockedSenders.unblock(account, id);
            await setImmediate();
            if (blocked !== undefined) leads.delete(leadOf(account, Sender.key(blocked.sender)));
            return unblocked;
          },
          isBlocked: async (account, email) =>
            ok(Sender.keysOf(email).some((key) => leads.has(leadOf(account, key)))),
        },
      };
    },
  },
];
