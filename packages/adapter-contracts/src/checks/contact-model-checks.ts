import {
  type Alias,
  BLOCKINGS,
  type Blocking,
  type Contact,
  compareIds,
  isNonEmpty,
  type Store,
} from "@postern/core";
import type { Correspondent } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  ALIAS_DELETED,
  changed,
  changedContact,
  deleted,
  findAlias,
  findByEmails,
  findContact,
  NOW,
  newAccount,
  newContactId,
  newCorrespondent,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { contactsOf, walk } from "../walk.ts";

const check = checkOf("contacts");

/* Random calls on the contacts of one alias, and their expected effect on a store, put as plainly as possible. */

const HOUR = 60 * 60_000;

/** `stored` is what the store should contain. */
type Model = {
  readonly alias: Alias;
  readonly emails: readonly Correspondent["email"][];
  stored: Contact[];
  isDeleted: boolean;
};

type Command = fc.AsyncCommand<Model, Store>;

const newestFirst = (contacts: readonly Contact[]): readonly Contact[] =>
  contacts.toSorted((a, b) => b.createdAt - a.createdAt || compareIds(b.id, a.id));

/** Compares the store with the model after the command. */
const command = (label: string, run: (model: Model, store: Store) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, store) => {
    await run(model, store);
    expectEqual(await walk(contactsOf(store, model.alias), 3), newestFirst(model.stored));
  },
  toString: () => label,
});

const isLater = (stored: number | null, at: number): boolean => stored === null || at >= stored + HOUR;

/** A stored contact as the correspondents should leave it. */
const afterwards = (contact: Contact, correspondents: readonly Correspondent[]): Contact => {
  const last = (kind: Correspondent["kind"]) =>
    Math.max(...correspondents.filter((each) => each.kind === kind).map(({ at }) => at), -1);
  const first = correspondents.find(({ kind }) => kind === "added")?.at ?? null;
  const [received, sent] = [Math.max(last("received"), last("named")), last("sent")];
  return {
    ...contact,
    addedAt: contact.addedAt ?? first,
    onlyNamed: contact.onlyNamed && correspondents.every(({ kind }) => kind === "named"),
    lastReceivedAt:
      received >= 0 && isLater(contact.lastReceivedAt, received) ? received : contact.lastReceivedAt,
    lastSentAt: sent >= 0 && isLater(contact.lastSentAt, sent) ? sent : contact.lastSentAt,
  };
};

const newOne = (
  { account, id: alias }: Alias,
  correspondents: readonly [Correspondent, ...Correspondent[]],
): Contact => {
  const [{ id, email, at: createdAt }] = correspondents;
  const blank = { addedAt: null, onlyNamed: true, lastReceivedAt: null, lastSentAt: null };
  return afterwards(
    { id, account, alias, email, blocking: "none", createdAt, ...blank, version: 1 },
    correspondents,
  );
};

const isKept = ({ addedAt, lastSentAt, blocking }: Contact): boolean =>
  addedAt !== null || lastSentAt !== null || blocking !== "none";

/** Which contact's address is recorded, the kind of correspondent, and after how many quarters of an hour. */
type Sketch = readonly [email: number, kind: Correspondent["kind"], quarters: number];

const record = (port: "record" | "meet", sketches: readonly Sketch[], limit: number): Command =>
  command(`${port} ${JSON.stringify(sketches)} with a limit of ${limit}`, async (model, store) => {
    const correspondents = sketches.map(([n, kind, quarters]) => {
      const email = model.emails[n % model.emails.length];
      return newCorrespondent({ ...(email && { email }), kind, at: NOW + (quarters * HOUR) / 4 });
    });
    if (!isNonEmpty(correspondents)) return;
    const limits = { contacts: limit };
    const call =
      port === "record"
        ? await store.contacts.record(model.alias, correspondents, limits)
        : (await store.contacts.meet(model.alias, { author: null, correspondents }, limits)).map(
            ({ contacts }) => contacts,
          );
    if (model.isDeleted) {
      expectMatch(call, ALIAS_DELETED);
      return;
    }
    const recorded = valueOf(call);

    const byEmail = [...Map.groupBy(correspondents, ({ email }) => email).entries()];
    const known: Contact[] = [];
    const fresh: Contact[] = [];
    for (const [email, [first, ...others]] of byEmail) {
      const contact = model.stored.find((each) => each.email === email);
      if (first === undefined) continue;
      if (contact === undefined) fresh.push(newOne(model.alias, [first, ...others]));
      else known.push(afterwards(contact, [first, ...others]));
    }
    const emailsMet = new Set(byEmail.map(([email]) => email));
    const others = model.stored.filter(({ email }) => !emailsMet.has(email));
    const isOver = limit > 0 && fresh.length > 0;
    let excess = isOver ? Math.max(0, known.length + others.length + fresh.length - limit) : 0;

    const left = new Set((await walk(contactsOf(store, model.alias))).map(({ id }) => id));
    const gone: Contact[] = [];
    let added: readonly Contact[] = fresh;
    for (const isNamed of [true, false]) {
      const free = others.filter((contact) => !isKept(contact) && contact.onlyNamed === isNamed);
      // Among contacts that have been unused for equally long, any may be evicted.
      const leaving = free.filter(({ id }) => !left.has(id));
      const stayed = free.filter(({ id }) => left.has(id));
      const usedAt = ({ lastReceivedAt }: Contact) => lastReceivedAt ?? 0;
      expectEqual(leaving.length, Math.min(excess, free.length));
      if (Math.max(...leaving.map(usedAt)) > Math.min(...stayed.map(usedAt))) {
        throw new Error("a contact was evicted, although another one was unused for longer");
      }
      gone.push(...leaving);
      excess -= leaving.length;
      const newest = fresh.filter(({ onlyNamed }) => onlyNamed === isNamed).toReversed();
      const refused = newest.slice(0, excess);
      added = added.filter((contact) => !refused.includes(contact));
      excess -= refused.length;
    }
    for (const { id } of gone) expectEqual(valueOf(await store.contacts.find(id)), null);

    model.stored = [...others.filter((contact) => !gone.includes(contact)), ...known, ...added];
    expectEqual(
      recorded,
      correspondents.map(({ email }) => model.stored.find((each) => each.email === email) ?? null),
    );
  });

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

const block = (n: number, blocking: Blocking, isOutdated: boolean): Command =>
  command(`set the blocking of contact ${n} to ${blocking}`, async (model, store) => {
    const contact = at(model.stored, n);
    if (contact === undefined) return;
    const after = changedContact(contact, { blocking });
    const before = isOutdated ? after : contact;
    const saved = await store.contacts.save(before, { ...after, lastSentAt: 7 });
    expectEqual(saved.isOk(), !(isOutdated || model.isDeleted));
    if (saved.isErr()) return;
    model.stored = model.stored.map((each) => (each === contact ? after : each));
  });

const create = (n: number, kind: Correspondent["kind"]): Command =>
  command(`create a contact with address ${n}`, async (model, store) => {
    const email = at(model.emails, n);
    if (email === undefined) return;
    const contact = newOne(model.alias, [newCorrespondent({ email, kind })]);
    const isTaken = model.stored.some((each) => each.email === email);
    const created = await store.contacts.create(contact);
    expectEqual(created.isErr() ? created.error.code : "ok", isTaken ? "address_taken" : "ok");
    if (!isTaken) model.stored = [...model.stored, contact];
  });

const find = (n: number): Command =>
  command(`find contact ${n}`, async (model, store) => {
    const contact = at(model.stored, n);
    if (contact !== undefined) expectEqual(await findContact(store, contact), contact);
    expectEqual(valueOf(await store.contacts.find(newContactId())), null);
    expectSameItems(await findByEmails(store, model.alias, model.emails), model.stored);
  });

/** Deletes the alias or, if it is deleted, restores it. */
const deleteOrRestore = (): Command =>
  command("delete the alias, or restore it", async (model, store) => {
    const stored = await findAlias(store, model.alias);
    if (stored === null) throw new Error("the alias is gone");
    const after = model.isDeleted ? changed(stored, { deletedAt: null }) : deleted(stored);
    valueOf(await store.aliases.save(stored, after));
    model.isDeleted = !model.isDeleted;
  });

const RECEIVED = Array.from({ length: 5 }, (): Correspondent["kind"] => "received");
const NAMED = Array.from({ length: 5 }, (): Correspondent["kind"] => "named");
const sketch = fc.tuple(
  fc.nat(5),
  fc.constantFrom<Correspondent["kind"]>(...RECEIVED, ...NAMED, "sent", "added"),
  fc.nat(40),
);
// Mostly one at a time, so that few are evicted out of several that could be.
const sketches = fc.oneof(
  { weight: 3, arbitrary: fc.array(sketch, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(sketch, { minLength: 2, maxLength: 5 }) },
);
const limit = fc.constantFrom(0, 1, 2, 3, 3, 4, 4);

const commands = fc.commands(
  [
    fc.tuple(sketches, limit).map((args) => record("record", ...args)),
    fc.tuple(sketches, limit).map((args) => record("record", ...args)),
    fc.tuple(sketches, limit).map((args) => record("record", ...args)),
    fc.tuple(sketches, limit).map((args) => record("record", ...args)),
    fc.tuple(sketches, limit).map((args) => record("meet", ...args)),
    fc.tuple(fc.nat(9), fc.constantFrom(...BLOCKINGS), fc.boolean()).map((args) => block(...args)),
    fc
      .tuple(fc.nat(5), fc.constantFrom<Correspondent["kind"]>("received", "sent"))
      .map((args) => create(...args)),
    fc.nat(9).map(find),
    fc.constant(deleteOrRestore()),
  ],
  { maxCommands: 20, size: "max" },
);

export const contactModelChecks: readonly Check[] = [
  check(
    "after every step of a random sequence of calls about contacts, the store matches a plain model",
    async (store) => {
      const account = newAccount();
      const home = await storeRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(commands, async (commands) => {
          const alias = await storeAlias(store, account, [home]);
          const emails = Array.from({ length: 6 }, () => newCorrespondent().email);
          const model: Model = { alias, emails, stored: [], isDeleted: false };
          await fc.asyncModelRun(() => ({ model, real: store }), commands);
          const last = await findAlias(store, alias);
          if (last !== null) valueOf(await store.aliases.erase(last));
          for (const contact of model.stored) expectEqual(await findContact(store, contact), null);
          expectEqual(await walk(contactsOf(store, alias)), []);
        }),
        runs(40),
      );
    },
  ),
];
