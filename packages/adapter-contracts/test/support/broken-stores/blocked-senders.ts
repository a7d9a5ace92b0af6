import { setImmediate } from "node:timers/promises";
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
import {
  answering,
  before,
  changingFirst,
  changingSecond,
  failingIf,
  firstOf,
  ignoring,
  listing,
} from "../faults.ts";
import type { Changes } from "../intercepted.ts";
import { blockedBy } from "../stored.ts";
import {
  type Broken,
  endingWithEmptyPage,
  type Fault,
  flaw,
  flawsBy,
  listingByRecipients,
} from "./broken.ts";

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

type Covers = (sender: Sender, author: EmailAddress | Domain) => boolean;

/** Whether the account has blocked the author is what this says. */
const meeting = (
  isBlocked: (account: AccountId, author: EmailAddress | Domain) => Promise<boolean> | boolean,
) =>
  ({
    "contacts.meet": answering(async (met, { account }, { author }) => ({
      ...met,
      isBlocked: author !== null && (await isBlocked(account, author)),
    })),
  }) satisfies Changes;

/** A sender is blocked if `covers` says so of one of those that the account has blocked. */
const blockedIf =
  (covers: Covers): Fault =>
  (store) =>
    meeting(async (account, author) =>
      (await blockedBy(store, account)).some(({ sender }) => covers(sender, author)),
    );

const covering = flawsBy(blockedIf);

/** An address is compared with the senders that have these keys. */
const comparing = flawsBy((keysOf: (author: EmailAddress | Domain) => readonly string[]) =>
  blockedIf((sender, author) => keysOf(author).includes(Sender.key(sender))),
);

/** All accounts with the same `fold` are one. */
const folding = flawsBy(
  (fold: (account: AccountId) => string): Fault =>
    (store) => {
      const folded = (account: AccountId) => valueOf(parseAccountId(fold(account)));
      return {
        ...meeting(async (account, author) => {
          const keys = Sender.keysOf(author);
          return (await blockedBy(store, folded(account))).some(({ sender }) =>
            keys.includes(Sender.key(sender)),
          );
        }),
        "blockedSenders.block": changingFirst((blocked) => ({
          ...blocked,
          account: folded(blocked.account),
        })),
        "blockedSenders.unblock": changingFirst(folded),
        "blockedSenders.list": async (list, account, page) =>
          (await list(folded(account), page)).map(({ items, next }) => ({
            items: items.map((each) => ({ ...each, account })),
            next,
          })),
      };
    },
);

const tooMany = (limit: number) => ({ code: "too_many_blocked_senders", limit }) as const;

export const brokenBlockedSenders: readonly Broken[] = [
  flaw("the time of blocking is lost", [FIELDS], {
    "blockedSenders.block": changingFirst((blocked) => ({ ...blocked, createdAt: 0 })),
  }),
  flaw("a blocked address is stored in lower case", [FIELDS], {
    "blockedSenders.block": changingFirst((blocked) => ({
      ...blocked,
      sender: valueOf(parseSender(blocked.sender.toLowerCase())),
    })),
  }),
  flaw("a sender that is blocked again is new", [FIELDS, ONCE, MODEL], {
    "blockedSenders.block": answering(({ blocked }) => ({ blocked, isNew: true })),
  }),
  flaw("a sender that is blocked again replaces the first one", [ONCE, MODEL], ({ blockedSenders }) => ({
    "blockedSenders.block": answering(async (result, blocked) => {
      if (result.isNew) return result;
      await blockedSenders.unblock(blocked.account, result.blocked.id);
      await blockedSenders.block(blocked, NO_LIMITS);
      return { blocked, isNew: false };
    }),
  })),
  flaw("an address in upper case is another sender", [ONCE, MODEL], () => {
    const upper = new Map<string, BlockedSender>();
    return {
      "blockedSenders.block": async (block, blocked, limits) => {
        if (!blocked.sender.startsWith("BOB")) return block(blocked, limits);
        const first = firstOf(upper, JSON.stringify([blocked.account, blocked.sender]), blocked);
        return ok({ blocked: first, isNew: first === blocked });
      },
    };
  }),
  covering("a blocked address does not cover itself in another case", [COVERS], (sender, author) =>
    [`${author}`, ...Sender.keysOf(author).slice(1)].includes(sender),
  ),
  comparing("a blocked domain does not cover its subdomains", [COVERS, UNBLOCKED, MODEL], (author) =>
    Sender.keysOf(author).slice(0, 2),
  ),
  comparing("a blocked domain covers its subdomains, but not itself", [COVERS, ACCOUNTS, MODEL], (author) =>
    Sender.keysOf(author).filter((_, n) => n !== 1),
  ),
  comparing("only the first five domains of an address are compared", [COVERS], (author) =>
    Sender.keysOf(author).slice(0, 6),
  ),
  comparing("only the last five domains of an address are compared", [COVERS], (author) => [
    author.toLowerCase(),
    ...Sender.keysOf(author).slice(1).slice(-5),
  ]),
  covering("a blocked domain covers all domains that end like it", [COVERS, MODEL], (sender, author) =>
    author.toLowerCase().endsWith(Sender.key(sender)),
  ),
  covering("a blocked address covers its domain", [COVERS], (sender, author) =>
    Sender.keysOf(author).some((key) => key === sender.replace(/^.*@/, "")),
  ),
  flaw("an unblocked sender stays blocked", [UNBLOCKED, ACCOUNTS, PAGES, LISTED, MODEL], {
    "blockedSenders.unblock": ignoring,
  }),
  flaw("unblocking one sender unblocks all", [UNBLOCKED, PAGES, MODEL], (store) => ({
    "blockedSenders.unblock": before(async (account) => {
      for (const { id } of await blockedBy(store, account)) await store.blockedSenders.unblock(account, id);
    }),
  })),
  flaw("unblocking a domain unblocks the addresses below it", [MODEL], (store) => ({
    "blockedSenders.unblock": before(async (account, id) => {
      const all = await blockedBy(store, account);
      const domain = all.find((each) => each.id === id)?.sender;
      for (const each of all) {
        if (each.sender.endsWith(`@${domain}`)) await store.blockedSenders.unblock(account, each.id);
      }
    }),
  })),
  flaw("unblocking a sender that is not blocked fails", [UNBLOCKED, LIMIT, MODEL], (store) => ({
    "blockedSenders.unblock": failingIf(
      { code: "unavailable" },
      async (account, id) => !(await blockedBy(store, account)).some((each) => each.id === id),
    ),
  })),
  folding("a sender is blocked by all accounts", [ACCOUNTS], () => "all"),
  folding("accounts whose ids look alike block senders together", [ACCOUNTS], (account) =>
    account.normalize("NFC"),
  ),
  flaw("a blocked sender is unblocked by its id alone", [ACCOUNTS], ({ blockedSenders }) => {
    const accounts = new Set<AccountId>();
    return {
      "blockedSenders.block": before(({ account }) => accounts.add(account)),
      "blockedSenders.unblock": before(async (_account, id) => {
        for (const account of accounts) await blockedSenders.unblock(account, id);
      }),
    };
  }),
  flaw("a blocked sender replaces another one with its id", [ID], ({ blockedSenders }) => ({
    "blockedSenders.block": async (block, blocked, limits) => {
      const result = await block(blocked, limits);
      if (result.isOk() || result.error.code !== "conflict") return result;
      await blockedSenders.unblock(blocked.account, blocked.id);
      return block(blocked, limits);
    },
  })),
  flaw("a blocked sender whose id is in use is not stored, but counts as blocked", [ID], {
    "blockedSenders.block": async (block, blocked, limits) => {
      const result = await block(blocked, limits);
      return result.isErr() && result.error.code === "conflict" ? ok({ blocked, isNew: true }) : result;
    },
  }),
  flaw("no limit applies to blocked senders", [LIMIT, MODEL], {
    "blockedSenders.block": changingSecond(() => NO_LIMITS),
  }),
  flaw("one blocked sender more than the limit is allowed", [LIMIT, MODEL], {
    "blockedSenders.block": changingSecond(({ blockedSenders: limit }) => ({
      blockedSenders: limit === 0 ? 0 : limit + 1,
    })),
  }),
  flaw("the limit applies to senders that are blocked already", [LIMIT], (store) => ({
    "blockedSenders.block": async (block, blocked, limits) => {
      const { blockedSenders: limit } = limits;
      const isReached = limit > 0 && (await blockedBy(store, blocked.account)).length >= limit;
      return isReached ? err(tooMany(limit)) : block(blocked, limits);
    },
  })),
  flaw("a limit of 0 allows no blocked sender", [FIELDS, LIMIT, MODEL], {
    "blockedSenders.block": failingIf(tooMany(0), (_blocked, { blockedSenders: limit }) => limit === 0),
  }),
  flaw("what an account has unblocked still counts", [LIMIT], (store) => {
    const counts = new Map<AccountId, number>();
    return {
      "blockedSenders.block": async (block, blocked, limits) => {
        const { blockedSenders: limit } = limits;
        const count = counts.get(blocked.account) ?? 0;
        const all = await blockedBy(store, blocked.account);
        const isKnown = all.some(({ sender }) => sender === blocked.sender);
        if (!isKnown && limit > 0 && count >= limit) return err(tooMany(limit));
        const result = await block(blocked, limits);
        if (result.isOk() && result.value.isNew) counts.set(blocked.account, count + 1);
        return result;
      },
    };
  }),
  flaw("blocked senders are listed in the order of blocking", [PAGES], () => {
    const order: string[] = [];
    return {
      "blockedSenders.block": before(({ id }) => order.push(id)),
      "blockedSenders.list": listing((items) =>
        items.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)),
      ),
    };
  }),
  flaw("pages of blocked senders are short", [PAGES], {
    "blockedSenders.list": changingSecond(({ limit, after }) => ({ limit: Math.min(limit, 4), after })),
  }),
  flaw("a full page of blocked senders is never the last", [PAGES], {
    "blockedSenders.list": endingWithEmptyPage(({ id }) => id),
  }),
  flaw("an account that has only blocked senders is not listed", [LISTED], listingByRecipients),
  flaw("an unblocked sender leaves what mail is compared with for a turn", [RACE], (store, seen) => {
    const keyOf = (account: AccountId, key: string) => JSON.stringify([account, key]);
    return {
      "blockedSenders.block": answering((result, { account, sender }) => {
        seen.add(keyOf(account, Sender.key(sender)));
        return result;
      }),
      "blockedSenders.unblock": async (unblock, account, id) => {
        const blocked = (await blockedBy(store, account)).find((each) => each.id === id);
        const unblocked = await unblock(account, id);
        await setImmediate();
        if (blocked !== undefined) seen.delete(keyOf(account, Sender.key(blocked.sender)));
        return unblocked;
      },
      ...meeting((account, author) => Sender.keysOf(author).some((key) => seen.has(keyOf(account, key)))),
    };
  }),
];
