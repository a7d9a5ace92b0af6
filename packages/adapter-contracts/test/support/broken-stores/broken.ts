import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, Alias, ok, type RecipientId, type Store } from "@postern/core";
import { type AliasKey, type Page, type PageRequest, Tallies } from "@postern/core/store";
import { answering, finding, type Instead, listing } from "../faults.ts";
import { type Changes, changed } from "../intercepted.ts";
import { recipientsOf, storedAlias } from "../stored.ts";

/** A store with one flaw: a mistake that the author of an adapter might make. */
export type Broken = {
  readonly flaw: string;
  /** The checks that must notice it, each on its own. */
  readonly noticedBy: readonly string[];
  /** Text that the failure's message must contain. */
  readonly says?: string;
  open(): Store & { close?(): Promise<void> };
};

/** What a flaw changes. It gets the correct store, and a set in which it can remember what it has seen. */
export type Fault = Changes | ((store: Store, seen: Set<string>) => Changes);

/** The correct store, except for what the fault changes. */
export const flaw = (flaw: string, noticedBy: readonly string[], fault: Fault): Broken => ({
  flaw,
  noticedBy,
  open: () => {
    const store = memoryStore();
    return changed(store, typeof fault === "function" ? fault(store, new Set()) : fault);
  },
});

/** Likewise for flaws of one kind: `faultOf` makes the fault of each. */
export const flawsBy =
  <Args extends unknown[]>(faultOf: (...args: Args) => Fault) =>
  (flawed: string, noticedBy: readonly string[], ...args: Args): Broken =>
    flaw(flawed, noticedBy, faultOf(...args));

/** Likewise for a store that lets every rule be overridden. Rules that remember something are made anew for each store. */
export const flawOf =
  <Rules extends object>(open: (rules?: Rules) => Store) =>
  (flaw: string, noticedBy: readonly string[], rules: Rules | (() => Rules)): Broken => ({
    flaw,
    noticedBy,
    open: () => open(typeof rules === "function" ? rules() : rules),
  });

/** Flaws whose failures have this text in their messages. */
export const saying = (says: string, flaws: readonly Broken[]): readonly Broken[] =>
  flaws.map((each) => ({ ...each, says }));

/** Lists nothing for a deleted alias. */
export const listingUnlessDeleted =
  <Others extends unknown[], T, Id, E>(store: Store): Instead<[AliasKey, ...Others], Page<T, Id>, E> =>
  async (list, alias, ...others) =>
    (await storedAlias(store, alias))?.deletedAt ? ok({ items: [], next: null }) : list(alias, ...others);

/** Says that a full page is never the last. */
export const endingWithEmptyPage =
  <Owner, Others extends unknown[], T, Id, E>(
    positionOf: NoInfer<(item: T) => Id>,
  ): Instead<[Owner, PageRequest<Id>, ...Others], Page<T, Id>, E> =>
  async (list, owner, page, ...others) =>
    (await list(owner, page, ...others)).map(({ items, next }) => {
      const last = items.at(-1);
      return { items, next: items.length === page.limit && last !== undefined ? positionOf(last) : next };
    });

/** Changes every alias that is read. */
export const readingAliases = (change: (alias: Alias) => Alias) =>
  ({
    "aliases.findWithRecipients": answering(({ alias, recipients }) => ({
      alias: alias && change(alias),
      recipients,
    })),
    "aliases.findByEmail": finding((alias) => Alias.state(change({ ...alias, tallies: Tallies.none }))),
    "aliases.list": listing((items) => items.map(change)),
  }) satisfies Changes;

/** Lists an account as often as `times` says. */
export const listingAccounts =
  (times: (store: Store, account: AccountId) => Promise<number>): Fault =>
  (store) => ({
    accounts: listing(async (items) =>
      (
        await Promise.all(items.map(async (each) => Array<AccountId>(await times(store, each)).fill(each)))
      ).flat(),
    ),
  });

/** Lists only accounts that have recipients. */
export const listingByRecipients = listingAccounts(async (store, account) =>
  (await recipientsOf(store, account)).length > 0 ? 1 : 0,
);

/** Recipients are said to be attached to more aliases, or to fewer, than they are. */
export const miscounting = flawsBy(
  (changes: (add: (ids: readonly RecipientId[], count: number) => void) => Changes): Fault =>
    () => {
      const added = new Map<string, number>();
      const add = (ids: readonly RecipientId[], count: number): void => {
        for (const id of ids) added.set(id, (added.get(id) ?? 0) + count);
      };
      return {
        ...changes(add),
        "recipients.find": finding((found) => ({
          ...found,
          attached: found.attached + (added.get(found.id) ?? 0),
        })),
      };
    },
);
