import { memoryStore } from "@postern/adapter-memory";
import { type Alias, err, NO_LIMITS, type Recipient, type Result, type Store } from "@postern/core";
import { changed, inTime } from "./intercepted.ts";

/** The numbers of things that an account has, for its limits. */
type Count = { readonly aliases: number; readonly recipients: number; readonly unverified: number };

const NOTHING: Count = { aliases: 0, recipients: 0, unverified: 0 };

const sum = (one: Count, other: Count, times: 1 | -1): Count => ({
  aliases: one.aliases + times * other.aliases,
  recipients: one.recipients + times * other.recipients,
  unverified: one.unverified + times * other.unverified,
});

/** How a store keeps its counters. Whatever is not overridden is correct. */
type Bookkeeping = {
  /** What an alias adds to the counts. */
  readonly ofAlias: (alias: Alias) => Partial<Count>;
  readonly ofRecipient: (recipient: Recipient) => Partial<Count>;
  /** Whether the limit of unverified recipients applies to a new one. */
  readonly mustVerify: (recipient: Recipient) => boolean;
  /** The name of the account's counter. */
  readonly counter: (account: string) => string;
  readonly isReached: (limit: number, count: number) => boolean;
  /** What happens between reading a counter and writing it; null if both are one step. */
  readonly gap: (() => Promise<void>) | null;
  /** The write that should change a counter, but does not. */
  readonly forgets: "erase" | "save" | "remove" | null;
  /** The write that changes a counter although it failed. */
  readonly miscounts: "refused creation" | "failed creation" | "conflict" | null;
};

const RIGHT: Bookkeeping = {
  ofAlias: () => ({ aliases: 1 }),
  ofRecipient: ({ verifiedAt }) => ({ recipients: 1, unverified: verifiedAt === null ? 1 : 0 }),
  mustVerify: ({ verifiedAt }) => verifiedAt === null,
  counter: (account) => account,
  isReached: (limit, count) => limit > 0 && count >= limit,
  gap: null,
  forgets: null,
  miscounts: null,
};

/** A store that keeps a counter for each account instead of counting what is stored; `flaw` overrides how. */
export const countingStore = (flaw: Partial<Bookkeeping> = {}, store: Store = memoryStore()): Store => {
  const { counter, isReached, mustVerify, gap, forgets, miscounts, ...of } = { ...RIGHT, ...flaw };
  const ofAlias = (alias: Alias): Count => ({ ...NOTHING, ...of.ofAlias(alias) });
  const ofRecipient = (recipient: Recipient): Count => ({ ...NOTHING, ...of.ofRecipient(recipient) });
  const counters = new Map<string, Count>();

  const countOf = (account: string): Count => counters.get(counter(account)) ?? NOTHING;
  const add = async (account: string, count: Count, times: 1 | -1 = 1): Promise<void> => {
    const before = countOf(account);
    if (gap !== null) await gap();
    counters.set(counter(account), sum(before, count, times));
  };

  /** Counts the new one before it is created, so that no other creation can take its place. */
  const reserve = async <E>(
    account: string,
    count: Count,
    refusal: (count: Count) => E | null,
    real: () => Promise<Result<void, E>>,
  ): Promise<Result<void, E>> => {
    const refused = refusal(countOf(account));
    const counted = refused === null || miscounts === "refused creation" ? add(account, count) : null;
    if (refused !== null) return err(refused);
    const created = await real();
    await counted;
    if (created.isErr() && miscounts !== "failed creation") await add(account, count, -1);
    return created;
  };

  /** Counts a change after it was made. */
  const change = async <E>(
    write: "erase" | "save" | "remove",
    account: string,
    before: Count,
    after: Count,
    real: () => Promise<Result<void, E>>,
  ): Promise<Result<void, E>> => {
    const changed = await real();
    if (write !== forgets && (changed.isOk() || miscounts === "conflict")) {
      await add(account, sum(after, before, -1));
    }
    return changed;
  };

  return inTime(
    changed(store, {
      "aliases.create": (create, alias, { aliases: limit }, creation) =>
        reserve(
          alias.account,
          ofAlias(alias),
          (count) => (isReached(limit, count.aliases) ? { code: "too_many_aliases", limit } : null),
          () => create(alias, NO_LIMITS, creation),
        ),
      "aliases.save": (save, from, to) =>
        change("save", from.account, ofAlias(from), ofAlias(to), () => save(from, to)),
      "aliases.erase": (erase, alias) =>
        change("erase", alias.account, ofAlias(alias), NOTHING, () => erase(alias)),
      "recipients.create": (create, recipient, limits) =>
        reserve(
          recipient.account,
          ofRecipient(recipient),
          (count) => {
            if (isReached(limits.recipients, count.recipients)) {
              return { code: "too_many_recipients", limit: limits.recipients };
            }
            if (mustVerify(recipient) && isReached(limits.unverifiedRecipients, count.unverified)) {
              return { code: "too_many_unverified_recipients", limit: limits.unverifiedRecipients };
            }
            return null;
          },
          () => create(recipient, NO_LIMITS),
        ),
      "recipients.save": (save, from, to) =>
        change("save", from.account, ofRecipient(from), ofRecipient(to), () => save(from, to)),
      "recipients.remove": (remove, recipient) =>
        change("remove", recipient.account, ofRecipient(recipient), NOTHING, () => remove(recipient)),
    }),
  );
};
