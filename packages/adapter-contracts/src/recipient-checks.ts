import { EmailAddress, Recipient } from "@postern/core";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import {
  attachedTo,
  deactivated,
  findAlias,
  findRecipient,
  keepAlias,
  keepRecipient,
  keepRecipients,
  NOW,
  newAccount,
  newRecipient,
  withRecipients,
} from "./samples.ts";

const CONFLICT = { error: { code: "conflict" } };

export const recipientChecks: readonly Check[] = [
  {
    name: "a recipient that was created is found again, whole",
    run: async (store) => {
      const account = newAccount();
      const past = { active: false, mailedAt: [NOW, NOW + 9], updatedAt: NOW + 1, version: 7 };
      for (const wanted of [{}, { verifiedAt: null, mailedAt: [] }, past]) {
        const recipient = await keepRecipient(store, account, wanted);
        expect(await findRecipient(store, recipient)).toEqual(recipient);
      }
      expect(await findRecipient(store, newRecipient(account))).toBeNull();
    },
  },
  {
    name: "those recipients that exist are found, each once",
    run: async (store) => {
      const account = newAccount();
      const kept = await keepRecipients(store, account, 40);
      const ids = [newRecipient(account).id, ...kept.map(({ id }) => id), ...kept.map(({ id }) => id)];
      const found = (await store.recipients.findAll(account, ids))._unsafeUnwrap();
      expect(found).toHaveLength(40);
      expect(found).toEqual(expect.arrayContaining(kept));
      expect((await store.recipients.findAll(account, []))._unsafeUnwrap()).toEqual([]);
    },
  },
  {
    name: "a recipient address is unique in its account, whatever its case, and only there",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const email = EmailAddress.parse(recipient.email.toUpperCase());
      const second = newRecipient(account, { email });
      expect(await store.recipients.create(second)).toMatchObject({ error: { code: "address_taken" } });
      expect(await findRecipient(store, second)).toBeNull();
      const elsewhere = await keepRecipient(store, newAccount(), { email });
      expect(await findRecipient(store, elsewhere)).toEqual(elsewhere);
    },
  },
  {
    name: "a recipient is not created over another one of the same id, and leaves no address behind",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const second = newRecipient(account, { id: recipient.id });
      expect(await store.recipients.create(second)).toMatchObject(CONFLICT);
      expect(await findRecipient(store, recipient)).toEqual(recipient);
      await keepRecipient(store, account, { email: second.email });
      await keepAlias(store, account, [recipient]);
      const third = newRecipient(account, { id: recipient.id });
      expect(await store.recipients.create(third)).toMatchObject(CONFLICT);
      expect(await findRecipient(store, recipient)).toEqual({ ...recipient, attached: 1 });
    },
  },
  {
    name: "a save keeps every field it was given but the count of aliases",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account, { verifiedAt: null });
      const verified = { ...Recipient.verify(recipient, NOW + 9), nonce: "another" };
      expect(await store.recipients.save(recipient, { ...verified, attached: 3 })).toHaveProperty("value");
      expect(await findRecipient(store, recipient)).toEqual(verified);
    },
  },
  {
    name: "a recipient save that started from an older version, or from nothing, changes nothing",
    run: async (store) => {
      const account = newAccount();
      const first = await keepRecipient(store, account);
      const second = { ...first, nonce: "second", version: 2 };
      expect(await store.recipients.save(first, second)).toHaveProperty("value");
      expect(await store.recipients.save(first, { ...first, nonce: "stale", version: 2 })).toMatchObject(
        CONFLICT,
      );
      expect(await findRecipient(store, first)).toEqual(second);
      const never = newRecipient(account);
      expect(await store.recipients.save(never, { ...never, version: 2 })).toMatchObject(CONFLICT);
      expect(await findRecipient(store, never)).toBeNull();
    },
  },
  {
    name: "a recipient that an alias holds stays active and verified until the alias lets it go",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [a]);
      for (const lost of [deactivated(a), { ...a, verifiedAt: null, version: 2 }]) {
        expect(await store.recipients.save(a, lost)).toMatchObject(CONFLICT);
        expect(await findRecipient(store, a)).toEqual({ ...a, attached: 1 });
      }
      const after = withRecipients(alias, [b]);
      expect(await store.aliases.save(alias, after)).toHaveProperty("value");
      expect(await store.recipients.save(a, deactivated(a))).toHaveProperty("value");
      expect(await store.aliases.save(after, withRecipients(after, [a]))).toMatchObject(CONFLICT);
      expect(await findAlias(store, alias)).toEqual(after);
    },
  },
  {
    name: "being attached and detached leaves a recipient's version and times alone",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const first = await keepAlias(store, account, [a]);
      const second = await keepAlias(store, account, [a, b]);
      expect(await store.aliases.save(first, withRecipients(first, [b, a]))).toHaveProperty("value");
      expect(await store.aliases.save(second, withRecipients(second, [b]))).toHaveProperty("value");
      expect(await findRecipient(store, a)).toEqual({ ...a, attached: 1 });
      expect(await findRecipient(store, b)).toEqual({ ...b, attached: 2 });
      expect(await store.recipients.save(a, { ...a, nonce: "new", version: 2 })).toHaveProperty("value");
      expect(await attachedTo(store, [a, b])).toEqual([1, 2]);
    },
  },
  {
    name: "a recipient that was removed is gone, and its address free again",
    run: async (store) => {
      const account = newAccount();
      const [recipient, spare] = [await keepRecipient(store, account), await keepRecipient(store, account)];
      expect(await store.recipients.remove(recipient)).toHaveProperty("value");
      expect(await findRecipient(store, recipient)).toBeNull();
      const page = await store.recipients.list(account, { limit: 9, after: null });
      expect(page._unsafeUnwrap().items).toEqual([spare]);
      expect(await store.recipients.remove(recipient)).toMatchObject(CONFLICT);
      expect(await store.recipients.save(recipient, { ...recipient, version: 2 })).toMatchObject(CONFLICT);
      await keepRecipient(store, account, { email: recipient.email });
    },
  },
  {
    name: "a recipient that an alias holds, or that has changed since, is not removed",
    run: async (store) => {
      const account = newAccount();
      const [a, b] = [await keepRecipient(store, account), await keepRecipient(store, account)];
      const alias = await keepAlias(store, account, [a]);
      expect(await store.recipients.remove(a)).toMatchObject(CONFLICT);
      expect(await findRecipient(store, a)).toEqual({ ...a, attached: 1 });
      const changed = { ...b, nonce: "changed", version: 2 };
      expect(await store.recipients.save(b, changed)).toHaveProperty("value");
      expect(await store.recipients.remove(b)).toMatchObject(CONFLICT);
      expect(await findRecipient(store, b)).toEqual(changed);
      expect(await store.aliases.save(alias, withRecipients(alias, [b]))).toHaveProperty("value");
      expect(await store.recipients.remove(a)).toHaveProperty("value");
    },
  },
  {
    name: "a store that works answers its ping",
    run: async (store) => {
      expect(await store.ping()).toHaveProperty("value");
    },
  },
];
