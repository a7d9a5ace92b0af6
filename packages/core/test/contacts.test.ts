import { memoryStore } from "@postern/adapter-memory";
import {
  err,
  NO_LIMITS,
  ok,
  type Postern,
  parseContactId,
  parseEmailAddress,
  postern,
  type Store,
} from "@postern/core";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { reverseAddress } from "../src/senders/reverse-address.ts";

const account = "account";
let ports: TestPorts;
let store: Store;
let service: Postern;

const serviceOn = (on: Store, limits = {}): Postern =>
  postern({ store: on, aliasDomains: ["alias.example", "other.example"], limits, ...ports });

beforeEach(() => {
  ports = testPorts();
  store = memoryStore();
  service = serviceOn(store);
});

const unusedId = valueOf(parseContactId("u".repeat(26)));

const newAlias = async (owner = account) => {
  const home = await service.adoptRecipient({
    account: owner,
    email: `${ports.ids.recipient()}@home.example`,
  });
  return valueOf(await service.createAlias({ account: owner, recipientIds: [valueOf(home).id] }));
};

const add = async (aliasId: string, email = "Bob@Sender.example") =>
  valueOf(await service.createContact({ account, aliasId, email }));

describe("createContact", () => {
  test("returns the contact with the address that stands for it in forwarded mail", async () => {
    const alias = await newAlias();
    const contact = await add(alias.id);
    expect(contact).toMatchObject({
      account,
      alias: alias.id,
      email: "Bob@sender.example",
      blocking: "none",
      createdAt: ports.clock.now(),
      addedAt: ports.clock.now(),
      lastReceivedAt: null,
      lastSentAt: null,
      version: 1,
      reverseAddress: reverseAddress(ports.secrets.hash, alias.email, "bob@sender.example"),
    });
    expect(contact.reverseAddress).toBe(`r-${contact.id}@alias.example`);
  });

  test("returns the same contact again, even if another key made its id", async () => {
    const alias = await newAlias();
    const contact = await add(alias.id);
    ports.clock.advance(10_000_000);
    expect(await add(alias.id, "BOB@sender.example")).toEqual(contact);
    const { secrets } = ports;
    ports = { ...ports, secrets: { ...secrets, hash: (text) => secrets.hash(`other key ${text}`) } };
    service = serviceOn(store);
    expect(await add(alias.id)).toEqual(contact);
    expect((await add(alias.id, "new@sender.example")).id).not.toBe(contact.id);
  });

  test("gives the same person a different address for each alias", async () => {
    const [one, other] = [await newAlias(), await newAlias()];
    const addresses = [await add(one.id), await add(other.id), await add(one.id, "eve@sender.example")];
    expect(new Set(addresses.map(({ reverseAddress }) => reverseAddress)).size).toBe(3);
  });

  test.each(["anybody@alias.example", "r-x@OTHER.example"])(
    "refuses %s: it is on an alias domain",
    async (email) => {
      const { id: aliasId } = await newAlias();
      expect(failureOf(await service.createContact({ account, aliasId, email }))).toEqual({
        code: "address_not_allowed",
        reason: "is_an_alias_domain",
      });
      expect(valueOf(await service.listContacts({ account, aliasId })).items).toEqual([]);
    },
  );

  test("needs a live alias of the account, and a valid address", async () => {
    const alias = await newAlias();
    const input = { account, aliasId: alias.id, email: "bob@sender.example" };
    for (const wrong of [
      { ...input, account: "other" },
      { ...input, aliasId: "other" },
    ]) {
      expect(failureOf(await service.createContact(wrong)).code).toBe("alias_not_found");
    }
    expect(failureOf(await service.createContact({ ...input, email: "bob" }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["email"] }],
    });
    valueOf(await service.deleteAlias({ account, aliasId: alias.id }));
    expect(failureOf(await service.createContact(input)).code).toBe("alias_deleted");
  });

  test("fails once the alias has as many contacts as it may have, unless one can be evicted", async () => {
    service = serviceOn(store, { contacts: 2 });
    const alias = await newAlias();
    const { email } = await add((await newAlias()).id);
    const stranger = { id: unusedId, email, kind: "received", at: 1 } as const;
    valueOf(await store.contacts.record(alias, [stranger], { contacts: 2 }));
    const one = await add(alias.id, "one@sender.example");
    const two = await add(alias.id, "two@sender.example");
    const three = await service.createContact({ account, aliasId: alias.id, email: "three@sender.example" });
    expect(failureOf(three)).toEqual({ code: "too_many_contacts", limit: 2 });
    expect(await add(alias.id, "ONE@sender.example")).toEqual(one);
    const listed = valueOf(await service.listContacts({ account, aliasId: alias.id })).items;
    expect(listed.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
  });

  test("fails if the alias was erased in the meantime, or the store does not respond", async () => {
    const { id: aliasId } = await newAlias();
    for (const error of [{ code: "alias_not_found" }, { code: "unavailable" }] as const) {
      const failing = serviceOn({
        ...store,
        contacts: { ...store.contacts, record: async () => err(error) },
      });
      const added = await failing.createContact({ account, aliasId, email: "bob@sender.example" });
      expect(failureOf(added)).toEqual(error);
    }
  });
});

test("no contact of an alias is added or changed if the alias is deleted after it was looked up", async () => {
  const { id: aliasId } = await newAlias();
  const contact = await add(aliasId);
  const deleteAlias = async () => valueOf(await service.deleteAlias({ account, aliasId }));
  const { contacts } = store;
  const late = serviceOn({
    ...store,
    contacts: {
      ...contacts,
      record: async (...args) => {
        await deleteAlias();
        return contacts.record(...args);
      },
      save: async (...args) => {
        await deleteAlias();
        return contacts.save(...args);
      },
    },
  });
  for (const call of [
    () => late.createContact({ account, aliasId, email: "new@sender.example" }),
    () => late.updateContact({ account, aliasId, contactId: contact.id, blocking: "reject" }),
  ]) {
    expect(await call()).toMatchObject({ error: { code: "alias_deleted" } });
    expect(valueOf(await service.listContacts({ account, aliasId })).items).toEqual([contact]);
    valueOf(await service.restoreAlias({ account, aliasId }));
  }
});

describe("getContact, listContacts and updateContact", () => {
  test("find only contacts of exactly this alias", async () => {
    const [alias, other] = [await newAlias(), await newAlias()];
    const contact = await add(alias.id);
    const theirs = await newAlias("other");
    const target = { account, aliasId: alias.id, contactId: String(contact.id) };
    expect(valueOf(await service.getContact(target))).toEqual(contact);
    for (const [wrong, code] of [
      [{ ...target, aliasId: other.id }, "contact_not_found"],
      [{ ...target, account: "other", aliasId: theirs.id }, "contact_not_found"],
      [{ ...target, contactId: "a".repeat(26) }, "contact_not_found"],
      [{ ...target, account: "other" }, "alias_not_found"],
      [{ ...target, contactId: "A" }, "invalid_request"],
    ] as const) {
      expect(failureOf(await service.getContact(wrong)).code).toBe(code);
      expect(failureOf(await service.updateContact({ ...wrong, blocking: "reject" })).code).toBe(code);
    }
    expect(valueOf(await service.getContact(target))).toEqual(contact);
  });

  test("list the newest first, page by page", async () => {
    const { id: aliasId } = await newAlias();
    const added = [];
    for (let n = 0; n < 5; n += 1) {
      added.unshift(await add(aliasId, `contact-${n}@sender.example`));
      ports.clock.advance(1);
    }
    const first = valueOf(await service.listContacts({ account, aliasId, limit: 2 }));
    expect(first.items).toEqual(added.slice(0, 2));
    const rest = valueOf(await service.listContacts({ account, aliasId, after: first.next }));
    expect(rest).toEqual({ items: added.slice(2), next: null });
    expect(failureOf(await service.listContacts({ account, aliasId, after: "x" })).code).toBe(
      "invalid_request",
    );
    expect(failureOf(await service.listContacts({ account: "other", aliasId })).code).toBe("alias_not_found");
  });

  test("find the contact with an address, in any case, and leave it as it is", async () => {
    const { id: aliasId } = await newAlias();
    const [bob, eve] = [await add(aliasId), await add(aliasId, "eve@sender.example")];
    await add((await newAlias()).id, "new@sender.example");
    const find = async (email: string, after: string | null = null) =>
      valueOf(await service.listContacts({ account, aliasId, email, limit: 1, after }));
    expect(await find("bob@SENDER.example")).toEqual({ items: [bob], next: null });
    expect(await find("EVE@sender.example")).toEqual({ items: [eve], next: null });
    expect(await find("new@sender.example")).toEqual({ items: [], next: null });
    expect(valueOf(await service.listContacts({ account, aliasId })).items).toHaveLength(2);
    const stranger = valueOf(parseEmailAddress("stranger@sender.example"));
    const alias = valueOf(await service.getAlias({ account, aliasId }));
    const at = ports.clock.now() + 1;
    valueOf(
      await store.contacts.record(
        alias,
        [{ id: unusedId, email: stranger, kind: "received", at }],
        NO_LIMITS,
      ),
    );
    expect((await find(stranger)).items).toMatchObject([{ id: unusedId, addedAt: null, lastSentAt: null }]);
    // An alias's contacts are one list, whichever of them are wanted.
    const { next } = valueOf(await service.listContacts({ account, aliasId, limit: 1 }));
    expect(await find(stranger, next)).toEqual({ items: [], next: null });
    expect(await find(bob.email, next)).toEqual({ items: [bob], next: null });
    expect(failureOf(await service.listContacts({ account, aliasId, email: "bob" }))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["email"] }],
    });
    valueOf(await service.deleteAlias({ account, aliasId }));
    expect(await find(bob.email)).toEqual({ items: [bob], next: null });
  });

  test("work for a deleted alias, except for changes", async () => {
    const { id: aliasId } = await newAlias();
    const contact = await add(aliasId);
    valueOf(await service.deleteAlias({ account, aliasId }));
    const target = { account, aliasId, contactId: contact.id };
    expect(valueOf(await service.getContact(target))).toEqual(contact);
    expect(valueOf(await service.listContacts({ account, aliasId })).items).toEqual([contact]);
    const refused = await service.updateContact({ ...target, blocking: "reject" });
    expect(failureOf(refused).code).toBe("alias_deleted");
    valueOf(await service.restoreAlias({ account, aliasId }));
    valueOf(await service.updateContact({ ...target, blocking: "reject" }));
    valueOf(await service.eraseAlias({ account, aliasId }));
    expect(valueOf(await store.contacts.find(contact.id))).toBeNull();
  });

  test("an erased account has no contacts left", async () => {
    const contacts = [await add((await newAlias()).id), await add((await newAlias()).id)];
    expect(valueOf(await service.eraseAccount({ account })).done).toBe(true);
    for (const { id } of contacts) expect(valueOf(await store.contacts.find(id))).toBeNull();
  });
});

describe("updateContact", () => {
  test("changes a contact at one of the expected versions only", async () => {
    const { id: aliasId } = await newAlias();
    const contact = await add(aliasId);
    const target = { account, aliasId, contactId: contact.id, blocking: "reject" } as const;
    expect(failureOf(await service.updateContact({ ...target, expectedVersions: [2, 3] }))).toEqual({
      code: "precondition_failed",
    });
    expect(valueOf(await service.getContact(target))).toEqual(contact);
    const changed = valueOf(await service.updateContact({ ...target, expectedVersions: [2, 1] }));
    expect(changed).toEqual({ ...contact, blocking: "reject", version: 2 });
  });

  test("changes the blocking, and creates no new version if nothing changes", async () => {
    const { id: aliasId } = await newAlias();
    const contact = await add(aliasId);
    const target = { account, aliasId, contactId: contact.id };
    const blocked = { ...contact, blocking: "reject", version: 2 };
    expect(valueOf(await service.updateContact({ ...target, blocking: "reject" }))).toEqual(blocked);
    expect(valueOf(await service.updateContact({ ...target, blocking: "reject" }))).toEqual(blocked);
    expect(valueOf(await service.updateContact(target))).toEqual(blocked);
    expect(valueOf(await service.getContact(target))).toEqual(blocked);
    // @ts-expect-error: there is no such blocking.
    const wrong = await service.updateContact({ ...target, blocking: "quarantine" });
    expect(failureOf(wrong)).toMatchObject({
      code: "invalid_request",
      issues: [{ path: ["blocking"], reason: "must be one of: none, reject, discard" }],
    });
  });

  test("decides again when a concurrent change won", async () => {
    const { id: aliasId } = await newAlias();
    const contact = await add(aliasId);
    const target = { account, aliasId, contactId: contact.id };
    let saves = 0;
    const contended = serviceOn({
      ...store,
      contacts: {
        ...store.contacts,
        save: async (before, after, timeLeft) => {
          saves += 1;
          if (saves === 1) valueOf(await service.updateContact({ ...target, blocking: "discard" }));
          return store.contacts.save(before, after, timeLeft);
        },
      },
    });
    const updated = valueOf(await contended.updateContact({ ...target, blocking: "reject" }));
    expect(updated).toMatchObject({ blocking: "reject", version: 3 });
    expect(saves).toBe(2);
    expect(ok(updated)).toEqual(await service.getContact(target));
  });
});
