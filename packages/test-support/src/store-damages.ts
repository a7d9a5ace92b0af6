import {
  Alias,
  Contact,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseBlockedSenderId,
  parseContactId,
  parseEmailAddress,
  parseEventId,
  parseRecipientId,
  parseRecipientIds,
  parseSender,
  Recipient,
  type Store,
} from "@postern/core";
import type { Difference, FindDifferences } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runsWhole } from "./runs-whole.ts";

/*
 * What can go wrong with the data that stores keep redundantly, what a check finds, and what a repair does about it. Each store says how
 * the damage is done in its tables.
 */

/** DynamoDB Local deletes items that have expired by the clock of the machine. */
const NOW = Date.now();
const ACCOUNT = valueOf(parseAccountId("account"));
const OTHER = valueOf(parseAccountId("other"));

const recipient = (name: string, account = ACCOUNT): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(name)),
      account,
      email: valueOf(parseEmailAddress(`${name}@mail.example`)),
      nonce: "nonce",
    },
    NOW,
  ),
  verifiedAt: NOW,
});

const alias = (name: string, recipients: readonly Recipient[], account = ACCOUNT): Alias =>
  valueOf(
    Alias.create(
      {
        id: valueOf(parseAliasId(name)),
        account,
        email: valueOf(parseEmailAddress(`${name}@alias.example`)),
        description: "a shop",
      },
      valueOf(parseRecipientIds(recipients.map(({ id }) => id))),
      recipients,
      NOW,
    ),
  );

const [home, work, free] = [recipient("home"), recipient("work"), recipient("free")];
const pending: Recipient = { ...recipient("pending"), verifiedAt: null };
const theirs = recipient("theirs", OTHER);
const [shop, news, gone] = [alias("shop", [home, work]), alias("news", [work]), alias("gone", [home])];
const old: Alias = { ...alias("old", [home]), deletedAt: NOW };
const foreign = alias("foreign", [theirs], OTHER);
const bob = Contact.of(shop, {
  id: valueOf(parseContactId("b".repeat(26))),
  email: valueOf(parseEmailAddress("bob@sender.example")),
  kind: "added",
  at: NOW,
});
const spam = {
  id: valueOf(parseBlockedSenderId("s".repeat(26))),
  account: ACCOUNT,
  sender: valueOf(parseSender("spam.example")),
  createdAt: NOW,
};

/**
 * `shop` lists home and work, in this order, and `news` lists work; `old` is deleted and remembers home; `gone` is erased. `free` is
 * verified and `pending` is not; no alias lists them. `shop` has the contact `bob` and two events. Another account has `foreign`, which
 * lists `theirs`.
 */
export const SAMPLES = {
  now: NOW,
  home,
  work,
  free,
  pending,
  theirs,
  shop,
  news,
  gone,
  old,
  foreign,
  bob,
  spam,
};

/** Stores the samples. */
export const fillWithSamples = async (store: Store): Promise<void> => {
  const limits = { aliases: 90, recipients: 90, unverifiedRecipients: 9 };
  for (const each of [home, work, free, pending, theirs])
    valueOf(await store.recipients.create(each, limits));
  for (const each of [shop, news, old, gone, foreign]) valueOf(await store.aliases.create(each, limits));
  valueOf(await store.aliases.erase(gone));
  for (const id of ["one", "two"])
    valueOf(
      await store.aliases.recordOutcome(shop, { id: valueOf(parseEventId(id)), outcome: "sent", at: NOW }),
    );
  valueOf(await store.contacts.create(bob));
  valueOf(await store.blockedSenders.block(spam, NO_LIMITS));
};

/** What a check finds, one line each. `undecided` is what a repair leaves. */
const REPAIRED = {
  "a count of aliases that is too high": ["attached account work: 7; right: 2"],
  "a count of aliases that is too low": ["attached account work: 0; right: 2"],
  "a recipient that is not attached to an alias that lists it": ["attachment account shop: 1 missing"],
  "a recipient attached to an alias that does not list it": ["attachment account news free: 1 surplus"],
  "a recipient attached to a deleted alias": ["attachment account old home: 1 surplus"],
  "a recipient attached to an alias that does not exist": ["leftover account gone home: 1 in attachments"],
  "an alias without its address": ["address account shop: 1 missing"],
  "an address that leads to an alias that does not exist": [
    "address account shop: 1 wrong",
    "address other nowhere: 1 surplus",
  ],
  "an address that leads to another alias": [
    "address account shop: 1 wrong",
    "address other foreign: 1 surplus",
  ],
  "an alias whose address is retired": ["address account shop: 1 wrong"],
  "an address of no alias": ["address account nowhere: 1 surplus"],
  "wrong counts of an account": ["usage account: 7 aliases; right: 3 aliases"],
  "an alias that is not found by a word": ["search account shop: 1 missing"],
  "an alias that is found by a word that it does not have": ["search account shop: 1 surplus"],
  "words of an alias that does not exist": ["leftover account gone: 1 in alias_words"],
  "words other than those of the description": ["search account shop: 1 wrong"],
  "tallies of an alias that does not exist": ["leftover nobody gone: 1 in tallies"],
  "a contact of an alias that does not exist": ["leftover nobody gone: 1 in contacts"],
  "a logged message of an alias that does not exist": ["leftover nobody gone: 1 in logged_messages"],
} as const;

const UNDECIDED = {
  "an alias that does not parse": ["undecided unreadable account shop"],
  "a recipient that does not parse": ["undecided unreadable account free"],
  "a contact that does not parse": ["undecided unreadable account shop"],
  "a blocked sender that does not parse": ["undecided unreadable account"],
  "a webhook that does not parse, in an account that has nothing else": ["undecided unreadable lonely"],
  "an API key that does not parse, in an account that has nothing else": ["undecided unreadable lonely"],
  "one of two logged messages that does not parse": ["undecided unreadable account shop"],
  "an announcement that does not parse, in an account that has nothing else": ["undecided unreadable lonely"],
  "turns that do not parse, in an account that has nothing else": ["undecided unreadable lonely"],
  "more events than were counted": ["undecided tallies account shop: 0 counted; right: 2 or more"],
  "two aliases with one address": [
    "undecided address other foreign: leads to alias shop of account account, which has the same",
  ],
} as const;

/** Why `home` must not receive mail; `deactivate work` makes the only recipient of `news` inactive. */
type Ineligible = "inactive" | "unverified" | "gone";

/** One damage to a store that is full of samples. */
export type Damage<Subject> = {
  readonly damage: (subject: Subject) => Promise<void> | void;
  /** What a check finds, if that depends on the store. */
  readonly found?: readonly string[];
  /** Looks at the store after the repair. By default, everything has to be as it was before. */
  readonly after?: (subject: Subject) => Promise<void>;
};

/** A store that is full of samples, on which a server may be running. */
type Filled = {
  readonly store: Store & { readonly differences: FindDifferences };
  /** Everything in the tables, and whatever else must not change. */
  readonly content: () => Promise<unknown> | unknown;
};

type Damages<Subject, Names extends string> = Readonly<Record<Names, Damage<Subject> | null>>;

export type DamagedStore<Subject extends Filled> = {
  readonly begin: () => Promise<Subject>;
  /** Null if it cannot happen. */
  readonly repaired: Damages<Subject, keyof typeof REPAIRED>;
  readonly undecided: Damages<Subject, keyof typeof UNDECIDED>;
  readonly ineligible: (subject: Subject, recipient: Recipient, state: Ineligible) => Promise<void> | void;
  /** What can only happen to this store. */
  readonly also?: Readonly<
    Record<
      "repaired" | "undecided",
      Readonly<Record<string, Damage<Subject> & { readonly found: readonly string[] }>>
    >
  >;
};

const differencesIn = async ({ store }: Filled): Promise<readonly Difference[]> => {
  const found: Difference[] = [];
  for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
  return found;
};

const COUNTS: readonly string[] = ["attached", "listed", "positions", "usage"];

const lineOf = ({ kind, account, alias: of, recipient: id, stored, right, remedy }: Difference): string => {
  const what = `${kind} ${[account, of, id].filter((each) => each !== null).join(" ")}`.trim();
  const hasCount = COUNTS.includes(kind) || (kind === "tallies" && remedy.by === "operator");
  const text = kind === "unreadable" ? what : `${what}: ${stored}${hasCount ? `; right: ${right}` : ""}`;
  return remedy.by === "operator" ? `undecided ${text}` : text;
};

/** What a check finds, in no particular order. */
export const linesOf = async (filled: Filled): Promise<readonly string[]> =>
  (await differencesIn(filled)).map(lineOf).toSorted();

/** Repairs what can be repaired as it is found, like the server's command. Returns what remains. */
export const repair = async ({ store }: Filled, detach = false): Promise<readonly string[]> => {
  const left: string[] = [];
  for await (const found of store.differences(() => {})) {
    const difference = valueOf(found);
    const { remedy } = difference;
    const work = remedy.by === "repair" ? remedy.repair : detach ? remedy.detach : null;
    if (work === null || valueOf(await work()) === "busy") left.push(lineOf(difference));
  }
  return left.toSorted();
};

const replaced = (before: Alias, recipients: readonly Recipient[]): Alias =>
  valueOf(
    Alias.replaceRecipients(
      before,
      valueOf(parseRecipientIds(recipients.map(({ id }) => id))),
      recipients,
      NOW,
    ),
  );

/** Makes the writes of a server's users, until `done`, but at least a few. */
const traffic = async (store: Store, name: string, done: () => boolean): Promise<void> => {
  const own = [recipient(`${name}-a`), recipient(`${name}-b`)];
  for (const each of own) valueOf(await store.recipients.create(each, NO_LIMITS));
  for (let n = 0; n < 4 || !done(); n += 1) {
    const first = alias(`${name}-${n}`, own);
    valueOf(await store.aliases.create(first, NO_LIMITS));
    const second = replaced(first, own.slice(n % 2, (n % 2) + 1));
    valueOf(await store.aliases.save(first, second));
    const deleted = Alias.delete(second, NOW);
    valueOf(await store.aliases.save(second, deleted));
    if (n % 3 === 0) valueOf(await store.aliases.erase(deleted));
  }
};

/** Tests the check and the repair of a store. */
export const testDamages = <Subject extends Filled>(
  { begin, repaired, undecided, ineligible, also }: DamagedStore<Subject>,
  file: string,
): void => {
  const rowsOf = (
    common: Readonly<Record<string, readonly string[]>>,
    own: Readonly<Record<string, Damage<Subject> | null>>,
    more: Readonly<Record<string, Damage<Subject> & { readonly found: readonly string[] }>> = {},
  ) => [
    ...Object.entries(common).flatMap(([what, found]) => {
      const row = own[what];
      return row ? [{ what, found, ...row }] : [];
    }),
    ...Object.entries(more).map(([what, row]) => ({ what, ...row })),
  ];
  const repairable = rowsOf(REPAIRED, repaired, also?.repaired);

  test("a store that was only ever used through its ports has no differences", async () => {
    const subject = await begin();
    const before = await subject.content();
    let accounts = 0;
    for await (const difference of subject.store.differences(() => {
      accounts += 1;
    }))
      expect(valueOf(difference)).toBeNull();
    expect(accounts).toBe(2);
    expect(await repair(subject, true)).toEqual([]);
    expect(await subject.content()).toEqual(before);
  });

  describe("a repair fixes", () => {
    test.for(repairable)("$what", async ({ damage, found, after }) => {
      const subject = await begin();
      const before = await subject.content();
      await damage(subject);
      const differences = await differencesIn(subject);
      expect(differences.map(lineOf).toSorted()).toEqual(found.toSorted());
      expect(await repair(subject)).toEqual([]);
      if (after !== undefined) await after(subject);
      else expect(await subject.content()).toEqual(before);
      // What is gone by the time it would be repaired is left alone.
      const then = await subject.content();
      for (const { remedy } of differences)
        expect(remedy.by === "repair" && valueOf(await remedy.repair())).toBe("gone");
      expect(await subject.content()).toEqual(then);
      expect(await linesOf(subject)).toEqual([]);
    });

    test("any of these at once", async () => {
      const reversible = repairable.filter(({ after }) => after === undefined);
      const subject = await begin();
      const before = await subject.content();
      await fc.assert(
        fc.asyncProperty(fc.subarray(reversible, { minLength: 2 }), async (damages) => {
          for (const { damage } of damages) await damage(subject);
          expect(await repair(subject)).toEqual([]);
          expect(await linesOf(subject)).toEqual([]);
          expect(await subject.content()).toEqual(before);
        }),
        { numRuns: runsWhole(file) ? 10 : 3 },
      );
    });

    test("aliases and recipients that could no longer be changed", async () => {
      const subject = await begin();
      const { store } = subject;
      await repaired["a count of aliases that is too low"]?.damage(subject);
      await repaired["an alias whose address is retired"]?.damage(subject);
      const after = replaced(shop, [home]);
      const failing = [
        () => store.aliases.save(shop, after),
        () => store.aliases.save(news, Alias.delete(news, NOW)),
      ];
      for (const call of failing) expect((await call()).isErr()).toBe(true);
      expect(await repair(subject)).toEqual([]);
      for (const call of failing) valueOf(await call());
      valueOf(await store.aliases.erase(after));
      expect(valueOf(await store.recipients.find(ACCOUNT, work.id))?.attached).toBe(0);
      expect(await linesOf(subject)).toEqual([]);
    });
  });

  describe("a repair leaves, even on request,", () => {
    test.for(rowsOf(UNDECIDED, undecided, also?.undecided))("$what", async ({ damage, found }) => {
      const subject = await begin();
      await damage(subject);
      const before = await subject.content();
      expect(await linesOf(subject)).toEqual(found.toSorted());
      expect(await repair(subject, true)).toEqual(found.toSorted());
      expect(await subject.content()).toEqual(before);
    });
  });

  test("the address of two aliases belongs to the other one once the first is erased", async () => {
    const subject = await begin();
    const both = undecided["two aliases with one address"];
    if (both === null) return;
    await both.damage(subject);
    valueOf(await subject.store.aliases.erase(shop));
    expect(await repair(subject)).toEqual([]);
    expect(valueOf(await subject.store.aliases.findByEmail(shop.email))).toMatchObject({
      id: foreign.id,
      account: OTHER,
    });
    expect(await linesOf(subject)).toEqual([]);
  });

  describe("a recipient that must not receive mail", () => {
    test.for(["inactive", "unverified", "gone"] as const)(
      "and is %s is left, or detached on request",
      async (state) => {
        const subject = await begin();
        const { store } = subject;
        await ineligible(subject, home, state);
        const line = `undecided destination account shop home: ${state}`;
        await repair(subject);
        const before = await subject.content();
        expect(await linesOf(subject)).toEqual([line]);
        expect(await repair(subject)).toEqual([line]);
        expect(await subject.content()).toEqual(before);
        const [difference] = await differencesIn(subject);
        expect(await repair(subject, true)).toEqual([]);
        const { remedy } = difference ?? expect.unreachable("there is one");
        expect(remedy.by === "operator" && remedy.detach && valueOf(await remedy.detach())).toBe("gone");
        expect(await linesOf(subject)).toEqual([]);
        const find = () => store.aliases.findWithRecipients(ACCOUNT, shop.id, []);
        const found = valueOf(await find()).alias ?? expect.unreachable("it exists");
        expect({ ...found, tallies: shop.tallies }).toEqual({
          ...shop,
          destinations: shop.destinations.slice(1),
          updatedAt: NOW + 9,
          version: 2,
        });
        expect(valueOf(await store.recipients.find(ACCOUNT, home.id))?.attached ?? 0).toBe(0);
        // Everything counts again.
        valueOf(await store.aliases.save(found, replaced(found, [free, work])));
        expect(await linesOf(subject)).toEqual([]);
      },
    );

    test("and is the only one of an alias, which is then deleted, and can be restored", async () => {
      const subject = await begin();
      const { store } = subject;
      await ineligible(subject, work, "inactive");
      await repair(subject);
      expect(await linesOf(subject)).toEqual([
        "undecided destination account news work: inactive",
        "undecided destination account shop work: inactive",
      ]);
      expect(await repair(subject, true)).toEqual([]);
      expect(await linesOf(subject)).toEqual([]);
      const find = () => store.aliases.findWithRecipients(ACCOUNT, news.id, []);
      const deleted = valueOf(await find()).alias ?? expect.unreachable("it exists");
      expect(deleted).toEqual({ ...news, deletedAt: NOW + 9, updatedAt: NOW + 9, version: 2 });
      const restored = valueOf(Alias.restore(deleted, [free.id], [free], NOW + 10));
      valueOf(await store.aliases.save(deleted, restored));
      expect(await linesOf(subject)).toEqual([]);
    });
  });

  test("while a server writes, its unfinished writes are not differences, and a repair breaks nothing", async () => {
    const subject = await begin();
    let done = false;
    const writing = ["x", "y"].map((name) => traffic(subject.store, name, () => done));
    try {
      const settled = async () => (await linesOf(subject)).filter((line) => !line.includes("unsettled"));
      for (let n = 0; n < 2; n += 1) expect(await settled()).toEqual([]);
      for (const what of [
        "a count of aliases that is too high",
        "a recipient attached to a deleted alias",
        "an alias whose address is retired",
        "an alias that is not found by a word",
        "wrong counts of an account",
      ] as const)
        await repaired[what]?.damage(subject);
      await repair(subject);
    } finally {
      done = true;
      await Promise.all(writing);
    }
    expect(await repair(subject)).toEqual([]);
    expect(await linesOf(subject)).toEqual([]);
  });
};
