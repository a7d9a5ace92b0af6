import { type AccountId, ok } from "@postern/core";
import type { Creation, Creations, LedgerKey } from "@postern/core/store";
import type { Write } from "./facts.ts";

/** How a store treats creations. Whatever is not overridden is correct. */
export type CreationRules = {
  /** Creations with the same key are one. */
  readonly keyOf: (creation: Pick<Creation, "account" | "key">) => string;
  /** Whether a stored creation with the same key makes this one a repeat. */
  readonly isRepeat: (stored: Creation, creation: Creation) => boolean;
  /** Whether it is kept that something was created: `isNew` if it really was. */
  readonly isKept: (isNew: boolean) => boolean;
  readonly copyOf: (creation: Creation) => Creation;
  /** Which of those of the account are forgotten, of all that are stored. */
  readonly forgotten: (account: AccountId, limit: number, all: readonly Creation[]) => readonly Creation[];
};

/** The rules of a store that is correct. */
export const RIGHT: CreationRules = {
  keyOf: ({ account, key }) => JSON.stringify([account, key]),
  isRepeat: (stored, { at }) => stored.expiresAt > at,
  isKept: (isNew) => isNew,
  copyOf: (creation) => structuredClone(creation),
  forgotten: (account, limit, all) => all.filter((each) => each.account === account).slice(0, limit),
};

export type PlainCreations = {
  readonly ports: Creations;
  /** Whether something was already created with the key. */
  isRepeated(creation: Creation | undefined): boolean;
  /** Remembers that something was created, or that it was not. */
  add(creation: Creation | undefined, isNew: boolean): void;
};

export const plainCreations = (write: Write, flaw: Partial<CreationRules> = {}): PlainCreations => {
  const { keyOf, isRepeat, isKept, copyOf, forgotten } = { ...RIGHT, ...flaw };
  const all = new Map<string, Creation>();
  const find = (account: AccountId, key: LedgerKey) => all.get(keyOf({ account, key })) ?? null;

  return {
    ports: {
      find: async (account, key) => {
        const creation = find(account, key);
        return ok(creation && copyOf(creation));
      },

      forget: (account, limit) =>
        write(() => () => {
          const gone = forgotten(account, limit, [...all.values()]);
          for (const creation of gone) all.delete(keyOf(creation));
          return ok(gone.length);
        }),
    },

    isRepeated: (creation) => {
      if (creation === undefined) return false;
      const stored = all.get(keyOf(creation));
      return stored !== undefined && isRepeat(stored, creation);
    },

    add: (creation, isNew) => {
      if (creation !== undefined && isKept(isNew)) all.set(keyOf(creation), copyOf(creation));
    },
  };
};
