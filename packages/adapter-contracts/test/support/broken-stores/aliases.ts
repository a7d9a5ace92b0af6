import { type AccountId, type Alias, isNonEmpty, NO_LIMITS, ok } from "@postern/core";
import { attachments } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import {
  after,
  afterFailure,
  answering,
  before,
  changingFirst,
  changingSecond,
  denying,
  failingIf,
  firstOf,
  ignoringIf,
  isNew,
} from "../faults.ts";
import { ALL, keyOf, recipientsOf, storedAlias } from "../stored.ts";
import { type Broken, flaw, miscounting, readingAliases } from "./broken.ts";

const FOUND = "findWithRecipients returns the alias and each recipient that exists, once";
const ID = "an alias id is unique within its account";
const CREATED_INELIGIBLE =
  "creating an alias with an unknown, unverified or inactive recipient changes nothing";
const OLDER = "saving an alias from an older version changes nothing";
const UNKNOWN = "an alias that was never created cannot be saved";
const SAVED_INELIGIBLE = "a save that attaches an unknown, unverified or inactive recipient changes nothing";
const RESTORING = "restoring an alias attaches its recipients again, if all are verified and active";
const LENT = "a store shares no objects with its callers";
const UNIQUE = "an alias address is unique across all accounts, in any case";
const DELETED = "a deleted alias can be created although its recipients do not exist";
const AFTER_ANY_SAVES =
  "after any saves, an alias has exactly the recipients of the last one, in order, and the counts match";
const DELETING = "deleting an alias detaches its recipients and keeps its address";

export const brokenAliases: readonly Broken[] = [
  flaw("a recipient requested twice is returned twice", [FOUND], {
    "aliases.findWithRecipients": answering(({ alias, recipients }, _account, _id, ids) => ({
      alias,
      recipients: ids.flatMap((wanted) => recipients.find(({ id }) => id === wanted) ?? []),
    })),
  }),
  flaw("alias addresses are unique only within an account", [UNIQUE], () => {
    const owners = new Map<string, AccountId>();
    return {
      "aliases.create": ignoringIf(
        ({ email, account }) => firstOf(owners, email.toLowerCase(), account) !== account,
      ),
    };
  }),
  flaw("alias addresses are compared as they are written", [UNIQUE], (_, seen) => ({
    "aliases.create": denying("address_taken", ({ email }) => isNew(seen, email)),
  })),
  flaw("creating an alias with an id in use is ignored", [ID], (store) => ({
    "aliases.create": ignoringIf(async (alias) => (await storedAlias(store, alias)) !== null),
  })),
  flaw("a failed creation of an alias leaves its address behind", [CREATED_INELIGIBLE], ({ aliases }) => ({
    "aliases.create": afterFailure((_error, { email }) => aliases.retireAddress(email)),
  })),
  flaw("the recipients of a deleted alias must exist", [DELETED], ({ recipients }) => ({
    "aliases.create": failingIf({ code: "conflict" }, async ({ account, destinations }) => {
      const found = valueOf(
        await recipients.findAll(
          account,
          destinations.map((each) => each.recipientId),
        ),
      );
      return found.length < destinations.length;
    }),
  })),
  flaw("an account without recipients loses the aliases created in it", [DELETED], (store) => ({
    "aliases.create": ignoringIf(async ({ account }) => (await recipientsOf(store, account)).length === 0),
  })),
  flaw("the first recipient of an account displaces the aliases created before it", [DELETED], (store) => ({
    "recipients.create": before(async ({ account }) => {
      if ((await recipientsOf(store, account)).length > 0) return;
      const { items } = valueOf(await store.aliases.list(account, ALL, { deleted: true }));
      for (const alias of items) await store.aliases.erase(alias);
    }),
  })),
  flaw("recipients are added to the stored ones instead of replacing them", [AFTER_ANY_SAVES], {
    "aliases.save": changingSecond((after, before) => {
      const { detached } = attachments(before, after);
      const left = before.destinations.filter(({ recipientId }) => detached.includes(recipientId));
      return { ...after, destinations: [...after.destinations, ...left] };
    }),
  }),
  flaw("the order of recipients is lost", [AFTER_ANY_SAVES], {
    "aliases.save": changingSecond((after) => {
      const sorted = after.destinations.toSorted((a, b) => (a.recipientId < b.recipientId ? -1 : 1));
      return isNonEmpty(sorted) ? { ...after, destinations: sorted } : after;
    }),
  }),
  miscounting("detaching a recipient does not change its count", [AFTER_ANY_SAVES, DELETING], (add) => ({
    "aliases.save": after((from, to) => add(attachments(from, to).detached, 1)),
  })),
  flaw("saving an alias checks no version", [OLDER], (store) => ({
    "aliases.save": changingFirst(async (from) => (await storedAlias(store, from)) ?? from),
  })),
  flaw("saving an unknown alias creates it", [UNKNOWN], (store) => ({
    "aliases.save": before(async (from) => {
      if ((await storedAlias(store, from)) === null) await store.aliases.create(from, NO_LIMITS);
    }),
  })),
  flaw("a save does not check that recipients are verified and active", [SAVED_INELIGIBLE], (store) => {
    const unchecked = new Map<string, Alias>();
    return {
      ...readingAliases((alias) => unchecked.get(keyOf(alias)) ?? alias),
      "aliases.save": async (save, from, to) => {
        const saved = await save(from, to);
        if (saved.isOk() || (await storedAlias(store, from))?.version !== from.version) return saved;
        unchecked.set(keyOf(from), to);
        return ok();
      },
    };
  }),
  flaw("a transaction fits only 50 recipients", ["one save swaps 40 recipients for 40 others"], {
    "aliases.save": failingIf({ code: "unavailable" }, (from, to) => {
      const { attached, detached } = attachments(from, to);
      return attached.length + detached.length > 50;
    }),
  }),
  flaw("the address of a deleted alias is free again", [DELETING], ({ aliases }) => ({
    "aliases.create": denying(
      "address_taken",
      async ({ email }) => valueOf(await aliases.findByEmail(email))?.deletedAt !== null,
    ),
  })),
  flaw("a restored alias is not attached to its recipients", [RESTORING], (_, seen) => ({
    ...readingAliases((alias) =>
      seen.has(keyOf(alias)) ? { ...alias, deletedAt: null, version: alias.version + 1 } : alias,
    ),
    "aliases.save": ignoringIf((from, to) => {
      const restores = from.deletedAt !== null && to.deletedAt === null;
      if (restores) seen.add(keyOf(from));
      return restores;
    }),
  })),
  flaw("objects given by the caller are stored as they are", [LENT], () => {
    const given = new Map<string, Alias>();
    return {
      ...readingAliases((alias) => given.get(keyOf(alias)) ?? alias),
      "aliases.create": before((alias) => given.set(keyOf(alias), alias)),
    };
  }),
];
