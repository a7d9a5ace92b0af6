import { type AccountId, type ApiKey, err, type LastUse, MAX_API_KEYS, ok } from "@postern/core";
import type { ApiKeyReference, ApiKeys } from "@postern/core/store";
import type { Write } from "./facts.ts";

/** By how much each outcome of a call changes the number of API keys that an account is said to have. */
const COUNTS = { created: 1, "in use": 0, refused: 0, removed: -1, "gone already": 0, "used when gone": 0 };

/** How a store treats API keys. Whatever is not overridden is correct. */
export type ApiKeyRules = {
  readonly limit: number;
  readonly counts: typeof COUNTS;
  /** The name of the account's counter. */
  readonly counterOf: (account: AccountId) => string;
  /** Whether these two keys, of one account or of two, have the same hash. */
  readonly isSameHash: (one: ApiKey, other: ApiKey) => boolean;
  /** Whether the key with this hash is the one that is looked for. */
  readonly isFound: (stored: string, hash: string) => boolean;
  /** Whether a use replaces the last one, if there is one. */
  readonly isNews: (last: LastUse | null, use: LastUse) => boolean;
  /** What is stored after a use. */
  readonly used: (stored: ApiKey, use: LastUse, reference: ApiKeyReference) => ApiKey;
  /** Whether a use is recorded although there is no such key, as this one. */
  readonly revived: (reference: ApiKeyReference) => ApiKey | null;
  /** What is stored for a key, and returned when it is read. */
  readonly copyOf: (apiKey: ApiKey) => ApiKey;
  /** Whether an account that had API keys is listed by `accounts` with this many left. */
  readonly isListed: (left: number) => boolean;
};

/** The rules of a store that is correct. */
export const RIGHT: ApiKeyRules = {
  limit: MAX_API_KEYS,
  counts: COUNTS,
  counterOf: (account) => account,
  isSameHash: (one, other) => one.hash === other.hash,
  isFound: (stored, hash) => stored === hash,
  isNews: (last, use) => last === null || last.at < use.at,
  used: (stored, use) => ({ ...stored, lastUse: use }),
  revived: () => null,
  copyOf: (apiKey) => structuredClone(apiKey),
  isListed: (left) => left > 0,
};

/** Keeps the API keys of each account, and a counter of them. */
export const plainApiKeys = (
  write: Write,
  flaw: Partial<ApiKeyRules> = {},
): { readonly ports: ApiKeys; owners(): readonly AccountId[] } => {
  const { limit, counts, counterOf, isListed, ...rules } = { ...RIGHT, ...flaw };
  const { isSameHash, isFound, isNews, used, revived, copyOf } = rules;
  const all = new Map<AccountId, readonly ApiKey[]>();
  const counters = new Map<string, number>();
  const countOf = (account: AccountId): number => counters.get(counterOf(account)) ?? 0;
  const count = (account: AccountId, outcome: keyof typeof COUNTS): void => {
    counters.set(counterOf(account), countOf(account) + counts[outcome]);
  };
  const keysOf = (account: AccountId): readonly ApiKey[] => all.get(account) ?? [];
  const othersOf = ({ account, id }: ApiKeyReference) => keysOf(account).filter((each) => each.id !== id);
  const find = ({ account, id }: ApiKeyReference) => keysOf(account).find((each) => each.id === id) ?? null;

  return {
    owners: () => [...all].flatMap(([account, { length }]) => (isListed(length) ? [account] : [])),
    ports: {
      create: (apiKey) =>
        write((fact) => {
          const { account } = apiKey;
          const idTaken = fact("id in apiKeys.create", () => find(apiKey) !== null);
          const hashTaken = fact("hash in apiKeys.create", () =>
            [...all.values()].flat().some((each) => isSameHash(each, apiKey)),
          );
          const existing = fact("count in apiKeys.create", () => countOf(account));
          const others = fact("others in apiKeys.create", () => keysOf(account));
          return () => {
            if (idTaken() || hashTaken()) {
              count(account, "in use");
              return err({ code: "conflict" });
            }
            if (existing() >= limit) {
              count(account, "refused");
              return err({ code: "too_many_api_keys", limit: MAX_API_KEYS });
            }
            count(account, "created");
            all.set(account, [...others(), copyOf(apiKey)]);
            return ok();
          };
        }),

      list: async (account) => ok(keysOf(account).map(copyOf)),

      findByHash: async (hash) => {
        const found = [...all.values()].flat().find((each) => isFound(each.hash, hash));
        return ok(found === undefined ? null : copyOf(found));
      },

      recordUse: (reference, use) =>
        write((fact) => {
          const { account } = reference;
          const stored = fact("key in apiKeys.recordUse", () => find(reference) ?? revived(reference));
          const last = fact("last use in apiKeys.recordUse", () => find(reference)?.lastUse ?? null);
          const others = fact("others in apiKeys.recordUse", () => othersOf(reference));
          return () => {
            const apiKey = stored();
            if (find(reference) === null) count(account, "used when gone");
            if (apiKey === null || !isNews(last(), use)) return ok();
            all.set(account, [...others(), copyOf(used(apiKey, use, reference))]);
            return ok();
          };
        }),

      remove: (account, id) =>
        write((fact) => {
          const isThere = fact("key in apiKeys.remove", () => find({ account, id }) !== null);
          const others = fact("others in apiKeys.remove", () => othersOf({ account, id }));
          return () => {
            count(account, isThere() ? "removed" : "gone already");
            if (all.has(account)) all.set(account, others());
            return ok();
          };
        }),
    },
  };
};
