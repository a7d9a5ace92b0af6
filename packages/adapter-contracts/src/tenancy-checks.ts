import { AccountId, AliasId, EmailAddress, RecipientId } from "@postern/core";
import { KEY_LIKE_IDS } from "@postern/core/testing";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import {
  attachedTo,
  deactivated,
  findAlias,
  findRecipient,
  keepAlias,
  keepRecipient,
  LIVE,
  newAccount,
  newAlias,
  newRecipient,
  withRecipients,
} from "./samples.ts";

const FIRST_PAGE = { limit: 100, after: null };

type Pair = readonly [account: string, id: string];

/** One text cut at two places, the separator there left out or not: what a joined key cannot tell apart. */
const cutInTwo = fc
  .tuple(
    fc.constantFrom("#", "|", "/", ":", ".", "%", " "),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 8 }),
    fc.boolean(),
  )
  .map(([separator, pattern, keep]): [Pair, Pair] => {
    const text = pattern.map((letter) => (letter ? "a" : separator)).join("");
    const cutAt = (place: number): Pair => [text.slice(0, place), text.slice(keep ? place : place + 1)];
    return [cutAt(1), cutAt(2)];
  });

export const tenancyChecks: readonly Check[] = [
  {
    name: "an account sees nothing of another one",
    run: async (store) => {
      const owner = newAccount();
      const recipient = await keepRecipient(store, owner);
      const alias = await keepAlias(store, owner, [recipient]);
      const stranger = newAccount();
      const nothing = await store.aliases.findWithRecipients(stranger, alias.id, [recipient.id]);
      expect(nothing._unsafeUnwrap()).toEqual({ alias: null, recipients: [] });
      expect((await store.recipients.find(stranger, recipient.id))._unsafeUnwrap()).toBeNull();
      expect((await store.recipients.findAll(stranger, [recipient.id]))._unsafeUnwrap()).toEqual([]);
      expect((await store.aliases.list(stranger, FIRST_PAGE, LIVE))._unsafeUnwrap().items).toEqual([]);
      expect((await store.recipients.list(stranger, FIRST_PAGE))._unsafeUnwrap().items).toEqual([]);
    },
  },
  {
    name: "an account changes nothing of another one",
    run: async (store) => {
      const owner = newAccount();
      const recipient = await keepRecipient(store, owner);
      const free = await keepRecipient(store, owner);
      const alias = await keepAlias(store, owner, [recipient]);
      const stranger = newAccount();
      const own = await keepRecipient(store, stranger);
      const conflict = { error: { code: "conflict" } };

      const stolen = { ...alias, account: stranger };
      expect(await store.aliases.save(stolen, withRecipients(stolen, [own]))).toMatchObject(conflict);
      const taken = { ...free, account: stranger };
      expect(await store.recipients.save(taken, deactivated(taken))).toMatchObject(conflict);
      expect(await store.recipients.remove(taken)).toMatchObject(conflict);
      const mixed = { ...withRecipients(newAlias(stranger, [own]), [own, free]), version: 1 };
      expect(await store.aliases.create(mixed)).toMatchObject(conflict);
      const theirs = await keepAlias(store, stranger, [own]);
      expect(await store.aliases.save(theirs, withRecipients(theirs, [free]))).toMatchObject(conflict);

      expect(await findAlias(store, alias)).toEqual(alias);
      expect(await findAlias(store, theirs)).toEqual(theirs);
      expect(await findRecipient(store, free)).toEqual(free);
      expect(await attachedTo(store, [recipient, free, own])).toEqual([1, 0, 1]);
    },
  },
  {
    name: "the same ids in two accounts are two things",
    run: async (store) => {
      const [one, two] = [newAccount(), newAccount()];
      const id = RecipientId.parse("same");
      const first = await keepRecipient(store, one, { id });
      const second = await keepRecipient(store, two, { id });
      const alias = await keepAlias(store, one, [first]);
      const twin = newAlias(two, [second], { id: alias.id });
      expect(await store.aliases.create(twin)).toHaveProperty("value");
      const spare = await keepRecipient(store, two);
      expect(await store.aliases.save(twin, withRecipients(twin, [spare]))).toHaveProperty("value");
      expect(await findAlias(store, alias)).toEqual(alias);
      expect(await attachedTo(store, [first, second, spare])).toEqual([1, 0, 1]);
    },
  },
  {
    name: "ids that look like keys, paths, properties or code are only ids",
    run: async (store) => {
      const things = await Promise.all(
        KEY_LIKE_IDS.flatMap((account) =>
          KEY_LIKE_IDS.map(async (id, i) => {
            const owner = AccountId.parse(account);
            const email = EmailAddress.parse(`mailbox-${i}@example.org`);
            const recipient = newRecipient(owner, { id: RecipientId.parse(id), email });
            expect(await store.recipients.create(recipient)).toHaveProperty("value");
            const alias = newAlias(owner, [recipient], { id: AliasId.parse(id) });
            expect(await store.aliases.create(alias)).toHaveProperty("value");
            return { recipient: { ...recipient, attached: 1 }, alias };
          }),
        ),
      );
      for (const { recipient, alias } of things) {
        const found = await store.aliases.findWithRecipients(alias.account, alias.id, [recipient.id]);
        expect(found._unsafeUnwrap()).toEqual({ alias, recipients: [recipient] });
      }
      for (const account of KEY_LIKE_IDS) {
        const { items, next } = (
          await store.aliases.list(AccountId.parse(account), FIRST_PAGE, LIVE)
        )._unsafeUnwrap();
        expect(new Set(items.map(({ id }) => id))).toEqual(new Set(KEY_LIKE_IDS));
        expect(next).toBeNull();
      }
    },
  },
  {
    name: "any two different pairs of account and id are kept apart",
    run: async (store) => {
      await fc.assert(
        fc.asyncProperty(cutInTwo, async ([one, other]) => {
          const prefix = newAccount();
          const recipient = ([account, id]: Pair) =>
            newRecipient(AccountId.parse(`${prefix}${account}`), { id: RecipientId.parse(id) });
          const [first, second] = [recipient(one), recipient(other)];
          expect(await store.recipients.create(first)).toHaveProperty("value");
          expect(await findRecipient(store, second)).toBeNull();
          expect(await store.recipients.create(second)).toHaveProperty("value");
          expect(await findRecipient(store, first)).toEqual(first);
        }),
        { numRuns: 100 },
      );
    },
  },
];
