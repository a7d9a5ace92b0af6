import type { Alias, PortResult, Recipient, Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectMatch } from "./expect.ts";
import {
  changedRecipient,
  findAlias,
  findRecipient,
  NOW,
  newAccount,
  newAlias,
  newRecipient,
  storeRecipient,
} from "./samples.ts";

type Write = PortResult<void, { readonly code: string }>;

/** A kind of thing that an account can have a limited number of. The same checks apply to each kind. */
export type Limited<T extends Alias | Recipient> = {
  readonly things: string;
  /** The code of the failure when the limit is reached. */
  readonly code: string;
  /** Prepares a new account that has none. The returned function makes one for it, without storing it. */
  prepare(store: Store): Promise<() => T>;
  create(store: Store, one: T, limit: number): Write;
  find(store: Store, one: T): Promise<T | null>;
  /** The ways in which a stored item stops counting. */
  readonly ways: Readonly<Record<string, (store: Store, one: T) => Write>>;
};

/** Throws unless exactly this many more can be created. */
export const expectPlaces = async <T extends Alias | Recipient>(
  { code, create }: Limited<T>,
  store: Store,
  next: () => T,
  places: number,
  limit: number,
): Promise<void> => {
  for (let place = 0; place < places; place += 1) valueOf(await create(store, next(), limit));
  expectMatch(await create(store, next(), limit), { error: { code, limit } });
};

export const limitedAliases: Limited<Alias> = {
  things: "aliases",
  code: "too_many_aliases",
  prepare: async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    return () => newAlias(account, [home]);
  },
  create: (store, alias, limit) => store.aliases.create(alias, { aliases: limit }),
  find: findAlias,
  ways: { erasing: (store, alias) => store.aliases.erase(alias) },
};

export const limitedRecipients: Limited<Recipient> = {
  things: "recipients",
  code: "too_many_recipients",
  prepare: async () => {
    const account = newAccount();
    return () => newRecipient(account);
  },
  create: (store, recipient, limit) =>
    store.recipients.create(recipient, { recipients: limit, unverifiedRecipients: 0 }),
  find: findRecipient,
  ways: { removing: (store, recipient) => store.recipients.remove(recipient) },
};

export const limitedUnverified: Limited<Recipient> = {
  things: "unverified recipients",
  code: "too_many_unverified_recipients",
  prepare: async () => {
    const account = newAccount();
    return () => newRecipient(account, { verifiedAt: null });
  },
  create: (store, recipient, limit) =>
    store.recipients.create(recipient, { recipients: 0, unverifiedRecipients: limit }),
  find: findRecipient,
  ways: {
    verifying: (store, recipient) =>
      store.recipients.save(recipient, changedRecipient(recipient, { verifiedAt: NOW })),
    removing: (store, recipient) => store.recipients.remove(recipient),
  },
};
