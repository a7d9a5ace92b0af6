import {
  type AccountId,
  type BlockedSender,
  compareIds,
  NO_LIMITS,
  parseAccountId,
  parseDomain,
  parseEmailAddress,
  parseSender,
  type Sender,
  type Store,
} from "@postern/core";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems, isEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  blockNew,
  CONFLICT,
  isAuthorBlocked,
  NOW,
  newAccount,
  newBlockedSender,
  newBlockedSenderId,
  storeRecipient,
} from "../samples.ts";
import { accountsOf, blockedSendersOf, walk } from "../walk.ts";

/** What mail is compared with shows only in a store that has contacts. */
const check = checkOf("blockedSenders", "contacts");
const listCheck = checkOf("blockedSenders");

const senderOf = (text: string): Sender => valueOf(parseSender(text));

const isBlocked = (store: Store, account: AccountId, email: string): Promise<boolean> =>
  isAuthorBlocked(store, account, valueOf(parseEmailAddress(email)));

/** Whether all addresses of a domain are blocked. */
const isDomainBlocked = (store: Store, account: AccountId, domain: string): Promise<boolean> =>
  isAuthorBlocked(store, account, valueOf(parseDomain(domain)));

const blockAgain = async (store: Store, blocked: BlockedSender, limit = 0) =>
  valueOf(await store.blockedSenders.block(blocked, { blockedSenders: limit }));

const tooMany = (limit: number) => ({ error: { code: "too_many_blocked_senders", limit } });

const inOrder = (all: readonly BlockedSender[]): readonly BlockedSender[] =>
  all.toSorted((a, b) => compareIds(b.id, a.id));

/** Two blocked senders that differ in every field, so that no default value fits both. */
const twoSenders = (): readonly [Required<BlockedSender>, Required<BlockedSender>] => [
  {
    id: newBlockedSenderId(),
    account: newAccount(),
    sender: senderOf("Bob.Smith+spam@Shop.example"),
    createdAt: NOW + 1,
  },
  { id: newBlockedSenderId(), account: newAccount(), sender: senderOf("spam.example"), createdAt: 0 },
];

const step = fc.record({
  does: fc.constantFrom("block", "block", "unblock", "look"),
  // Only a few, so that many calls are about blocked senders.
  text: fc.constantFrom("a.example", "b.a.example", "Bob@b.a.example", "BOB@b.a.example"),
  email: fc.constantFrom("bob@a.example", "bob@b.a.example", "eve@c.b.a.example", "bob@ba.example"),
  limit: fc.constantFrom(0, 0, 1, 2),
});

export const blockedSenderChecks: readonly Check[] = [
  listCheck("every field of a blocked sender is read back", async (store) => {
    const samples = twoSenders();
    const [one, two] = samples.map((blocked) => new Map<string, unknown>(Object.entries(blocked)));
    for (const [field, value] of one ?? []) {
      if (isEqual(value, two?.get(field))) throw new Error(`the samples have the same ${field}`);
    }
    for (const blocked of samples) {
      expectEqual(await blockAgain(store, blocked), { blocked, isNew: true });
      expectEqual(await walk(blockedSendersOf(store, blocked.account)), [blocked]);
      expectEqual(await blockAgain(store, blocked), { blocked, isNew: false });
    }
  }),

  listCheck("a sender is blocked once, and stays as it was first blocked", async (store) => {
    const account = newAccount();
    for (const texts of [
      ["Bob@shop.example", "BOB@shop.example", "bob@SHOP.example"],
      ["spam.example", "SPAM.example"],
    ]) {
      const [first = "", ...others] = texts;
      const blocked = await blockNew(store, account, { sender: senderOf(first) });
      for (const [n, text] of [first, ...others].entries()) {
        const again = newBlockedSender(account, { sender: senderOf(text), createdAt: NOW + n });
        expectEqual(await blockAgain(store, again), { blocked, isNew: false });
        expectEqual(await blockAgain(store, { ...again, id: blocked.id }), { blocked, isNew: false });
      }
    }
    expectEqual((await walk(blockedSendersOf(store, account))).length, 2);
  }),

  check("a blocked address covers itself, and a blocked domain all addresses below it", async (store) => {
    const account = newAccount();
    const deepest = `${"x.".repeat(9)}deep.example`;
    for (const text of ["Bob@shop.example", "spam.example", "mail.other.example", deepest]) {
      await blockNew(store, account, { sender: senderOf(text) });
    }
    const covered = [
      "Bob@shop.example",
      "bOB@shop.example",
      "bob@spam.example",
      "x@mail.spam.example",
      `x@${"a.".repeat(30)}spam.example`,
      "x@mail.other.example",
      `x@${deepest}`,
      `x@y.${deepest}`,
    ];
    const others = [
      "rob@shop.example",
      "bob+x@shop.example",
      "bob@mail.shop.example",
      "bob@notspam.example",
      "bob@spam.example.net",
      "spam.example@net.example",
      "bob@other.example",
      "bob@xmail.other.example",
      `x@${deepest.slice(2)}`,
    ];
    for (const [emails, expected] of [
      [covered, true],
      [others, false],
    ] as const) {
      for (const email of emails) {
        expectEqual({ [email]: await isBlocked(store, account, email) }, { [email]: expected });
      }
    }
    // For authors whose addresses are not valid. One address that is blocked says nothing about its domain.
    for (const [domain, expected] of [
      ["spam.example", true],
      ["mail.spam.example", true],
      [deepest, true],
      ["shop.example", false],
      ["notspam.example", false],
      ["spam.example.net", false],
    ] as const) {
      expectEqual({ [domain]: await isDomainBlocked(store, account, domain) }, { [domain]: expected });
    }
  }),

  check("an unblocked sender is accepted again, unless another blocked sender covers it", async (store) => {
    const account = newAccount();
    const domain = await blockNew(store, account, { sender: senderOf("spam.example") });
    const address = await blockNew(store, account, { sender: senderOf("bob@mail.spam.example") });
    const kept = await blockNew(store, account);
    const email = "bob@mail.spam.example";
    for (let times = 0; times < 2; times += 1) {
      valueOf(await store.blockedSenders.unblock(account, address.id));
      expectEqual(await isBlocked(store, account, email), true);
    }
    for (let times = 0; times < 2; times += 1) {
      valueOf(await store.blockedSenders.unblock(account, domain.id));
      expectEqual(await isBlocked(store, account, email), false);
    }
    valueOf(await store.blockedSenders.unblock(account, newBlockedSenderId()));
    expectEqual(await walk(blockedSendersOf(store, account)), [kept]);
    // It can be blocked again, with its old id or another one.
    await blockNew(store, account, { id: domain.id, sender: domain.sender, createdAt: NOW + 1 });
    await blockNew(store, account, { sender: address.sender });
    expectEqual(await isBlocked(store, account, email), true);
    expectEqual((await walk(blockedSendersOf(store, account))).length, 3);
  }),

  check("each account blocks senders for itself, with any ids", async (store) => {
    const accounts = [...KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id))), newAccount(), newAccount()];
    const id = newBlockedSenderId();
    const stored = new Map<AccountId, BlockedSender>();
    const expectStored = async () => {
      for (const account of accounts) {
        const blocked = stored.get(account);
        expectEqual(
          {
            listed: await walk(blockedSendersOf(store, account)),
            isBlocked: await isBlocked(store, account, "bob@spam.example"),
          },
          { listed: blocked === undefined ? [] : [blocked], isBlocked: blocked !== undefined },
        );
      }
    };
    for (const [n, account] of accounts.entries()) {
      const sender = senderOf(n % 2 === 0 ? "spam.example" : "Bob@spam.example");
      stored.set(account, await blockNew(store, account, { id, sender, createdAt: NOW + n }));
    }
    await expectStored();
    for (const account of accounts.filter((_, n) => n % 3 === 0)) {
      valueOf(await store.blockedSenders.unblock(account, id));
      stored.delete(account);
      await expectStored();
    }
  }),

  check("an id belongs to one blocked sender of the account", async (store) => {
    const account = newAccount();
    const blocked = await blockNew(store, account);
    const other = newBlockedSender(account, { id: blocked.id });
    for (let times = 0; times < 2; times += 1) {
      expectMatch(await store.blockedSenders.block(other, NO_LIMITS), CONFLICT);
      expectEqual(await walk(blockedSendersOf(store, account)), [blocked]);
      expectEqual(await isBlocked(store, account, `x@${other.sender}`), false);
    }
    await blockNew(store, account, { sender: other.sender });
  }),

  check("an account blocks as many senders as its limit allows, and no more", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    for (let n = 0; n < 4; n += 1) await blockNew(store, other);
    const first = newBlockedSender(account);
    const second = newBlockedSender(account);
    for (const blocked of [first, second]) {
      expectEqual(await blockAgain(store, blocked, 2), { blocked, isNew: true });
    }
    const refused = newBlockedSender(account);
    for (const limit of [1, 2]) {
      expectMatch(await store.blockedSenders.block(refused, { blockedSenders: limit }), tooMany(limit));
    }
    expectEqual(await isBlocked(store, account, `x@${refused.sender}`), false);
    expectEqual(await walk(blockedSendersOf(store, account)), inOrder([first, second]));
    // A sender that is already blocked needs no room.
    expectEqual(await blockAgain(store, first, 1), { blocked: first, isNew: false });
    expectEqual(await blockAgain(store, refused, 3), { blocked: refused, isNew: true });
    valueOf(await store.blockedSenders.unblock(account, first.id));
    valueOf(await store.blockedSenders.unblock(account, first.id));
    expectEqual(await blockAgain(store, first, 3), { blocked: first, isNew: true });
    const next = newBlockedSender(account);
    expectMatch(await store.blockedSenders.block(next, { blockedSenders: 3 }), tooMany(3));
    expectEqual(await blockAgain(store, next, 0), { blocked: next, isNew: true });
  }),

  listCheck("pages of any size list the blocked senders of an account once, in order", async (store) => {
    const account = newAccount();
    await blockNew(store, newAccount());
    const ids = Array.from({ length: 9 }, newBlockedSenderId);
    const stored: BlockedSender[] = [];
    // Not in the order of their ids.
    for (const n of [3, 8, 0, 5, 1, 7, 2, 6, 4]) {
      stored.push(await blockNew(store, account, { id: ids[n] ?? newBlockedSenderId() }));
    }
    const all = inOrder(stored);
    for (let limit = 1; limit <= 10; limit += 1) {
      for (let from = 0; from < all.length; from += 1) {
        const after = all[from - 1]?.id ?? null;
        const items = all.slice(from, from + limit);
        const next = from + limit < all.length ? items.at(-1)?.id : null;
        expectEqual(valueOf(await store.blockedSenders.list(account, { limit, after })), { items, next });
      }
    }
    // A page can start after one that is gone.
    const [first, gone, ...rest] = all;
    if (first === undefined || gone === undefined) throw new Error("the samples are incomplete");
    valueOf(await store.blockedSenders.unblock(account, gone.id));
    expectEqual(await walk(blockedSendersOf(store, account), 2, gone.id), rest);
    expectEqual(await walk(blockedSendersOf(store, account), 2), [first, ...rest]);
  }),

  checkOf("blockedSenders", "accounts")(
    "accounts lists an account that has only blocked senders, until it has none",
    async (store) => {
      const [account, other] = [newAccount(), newAccount()];
      await storeRecipient(store, other);
      await blockNew(store, other);
      const stored = [await blockNew(store, account), await blockNew(store, account)];
      for (const { id } of stored) {
        for (const limit of [1, 100]) expectSameItems(await walk(accountsOf(store), limit), [account, other]);
        valueOf(await store.blockedSenders.unblock(account, id));
      }
      expectEqual(await walk(accountsOf(store)), [other]);
    },
  ),

  check(
    "after every step of a random sequence of calls about blocked senders, the store matches a plain model",
    async (store) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
          const account = newAccount();
          let stored: readonly BlockedSender[] = [];
          for (const { does, text, email, limit } of steps) {
            const key = text.toLowerCase();
            const same = stored.find(({ sender }) => sender.toLowerCase() === key);
            if (does === "unblock") {
              valueOf(await store.blockedSenders.unblock(account, same?.id ?? newBlockedSenderId()));
              stored = stored.filter((each) => each !== same);
            } else if (does === "block") {
              const blocked = newBlockedSender(account, { sender: senderOf(text) });
              const result = await store.blockedSenders.block(blocked, { blockedSenders: limit });
              if (same !== undefined) expectMatch(result, { value: { blocked: same, isNew: false } });
              else if (limit > 0 && stored.length >= limit) expectMatch(result, tooMany(limit));
              else {
                expectMatch(result, { value: { blocked, isNew: true } });
                stored = [...stored, blocked];
              }
            }
            const covers = ({ sender }: BlockedSender): boolean => {
              const [one, of] = [sender.toLowerCase(), email.toLowerCase()];
              return one.includes("@") ? one === of : of.endsWith(`@${one}`) || of.endsWith(`.${one}`);
            };
            expectEqual(await isBlocked(store, account, email), stored.some(covers));
            expectEqual(await walk(blockedSendersOf(store, account), 3), inOrder(stored));
          }
        }),
        // With 25, one store in 400 that unblocks too much passed.
        runs(50),
      );
    },
  ),
];
