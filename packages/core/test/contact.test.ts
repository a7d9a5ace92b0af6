import {
  BLOCKINGS,
  Contact,
  compareIds,
  isNonEmpty,
  parseAccountId,
  parseAliasId,
  parseContactId,
  parseEmailAddress,
} from "@postern/core";
import {
  type Correspondent,
  parseContact,
  parseContactPosition,
  partsOfPosition,
  RecordedContacts,
} from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const HOUR = 60 * 60 * 1_000;

const alias = { account: valueOf(parseAccountId("account")), id: valueOf(parseAliasId("alias")) };

const contactId = fc.stringMatching(/^[a-z2-7]{26}$/).map((id) => valueOf(parseContactId(id)));
/** Often exactly an hour, or a millisecond less, after another one. */
const time = fc.oneof(
  fc.integer({ min: 0, max: 5 * HOUR }),
  fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(1)).map(([hours, less]) => hours * HOUR - less),
);
const correspondent: fc.Arbitrary<Correspondent> = fc.record({
  id: contactId,
  email: fc
    .constantFrom("bob@sender.example", "BOB@sender.example", "eve@sender.example", "zoe@other.example")
    .map((email) => valueOf(parseEmailAddress(email))),
  kind: fc.constantFrom<Correspondent["kind"]>("received", "named", "sent", "added"),
  at: time,
});
const contact: fc.Arbitrary<Contact> = fc
  .record({
    id: contactId,
    account: fc.constant(alias.account),
    alias: fc.constant(alias.id),
    email: correspondent.map(({ email }) => email),
    blocking: fc.constantFrom(...BLOCKINGS),
    createdAt: time,
    addedAt: fc.option(time),
    onlyNamed: fc.boolean(),
    lastReceivedAt: fc.option(time),
    lastSentAt: fc.option(time),
    version: fc.integer({ min: 1, max: 9 }),
  })
  .filter(({ addedAt, lastReceivedAt, lastSentAt }) => (addedAt ?? lastReceivedAt ?? lastSentAt) !== null);

const TIMES = ["addedAt", "lastReceivedAt", "lastSentAt"] as const;

describe("noting that a contact was recorded", () => {
  test("changes only its times and that it was only named: the times never go back and are accurate to within an hour", () => {
    fc.assert(
      fc.property(contact, correspondent, (stored, again) => {
        const recorded = Contact.of(alias, again);
        const after = Contact.note(stored, recorded);
        expect({ ...after, addedAt: 0, lastReceivedAt: 0, lastSentAt: 0 }).toEqual({
          ...stored,
          onlyNamed: stored.onlyNamed && again.kind === "named",
          addedAt: 0,
          lastReceivedAt: 0,
          lastSentAt: 0,
        });
        for (const field of TIMES) {
          expect(after[field] ?? -1).toBeGreaterThanOrEqual(stored[field] ?? -1);
          if (field !== "addedAt" && recorded[field] !== null)
            expect(after[field] ?? -1).toBeGreaterThan(recorded[field] - HOUR);
        }
        if (stored.addedAt !== null) expect(after.addedAt).toBe(stored.addedAt);
      }),
    );
  });

  test("sets the times that it did not have, and leaves those that are less than an hour old", () => {
    fc.assert(
      fc.property(contact, correspondent, (stored, again) => {
        const recorded = Contact.of(alias, again);
        const after = Contact.note(stored, recorded);
        for (const field of TIMES) {
          if (stored[field] === null) expect(after[field]).toBe(recorded[field]);
          else if ((recorded[field] ?? 0) < stored[field] + HOUR) expect(after[field]).toBe(stored[field]);
        }
      }),
    );
  });

  test("returns the same object when there is nothing to store, such as the second time", () => {
    fc.assert(
      fc.property(contact, correspondent, (stored, again) => {
        const recorded = Contact.of(alias, again);
        const after = Contact.note(stored, recorded);
        expect(after === stored).toBe(
          ["onlyNamed" as const, ...TIMES].every((field) => after[field] === stored[field]),
        );
        expect(Contact.note(after, recorded)).toBe(after);
      }),
    );
  });
});

test("blocking a contact makes a new version only if it changes something", () => {
  fc.assert(
    fc.property(contact, fc.constantFrom(...BLOCKINGS), (stored, blocking) => {
      const after = Contact.block(stored, blocking);
      if (blocking === stored.blocking) expect(after).toBe(stored);
      else expect(after).toEqual({ ...stored, blocking, version: stored.version + 1 });
    }),
  );
});

/** Chosen freely, hardly any contact may be evicted. */
const unused = contact.map((one) => ({
  ...one,
  blocking: "none" as const,
  addedAt: null,
  lastSentAt: null,
  lastReceivedAt: one.lastReceivedAt ?? 0,
}));
/** There is at most one reason to keep it. */
const almostUnused = fc
  .tuple(unused, contact, fc.constantFrom("blocking", "addedAt", "lastSentAt"))
  .map(([one, other, field]) => ({ ...one, [field]: other[field] }));
const contacts = fc.array(fc.oneof(unused, almostUnused, contact));

test("the contacts to evict are those that nobody has written to, added or blocked, the only named ones and the earliest mail first", () => {
  fc.assert(
    fc.property(contacts, (all) => {
      const able = all.filter(
        ({ blocking, addedAt, lastSentAt }) => blocking === "none" && addedAt === null && lastSentAt === null,
      );
      expect(all.filter(Contact.isEvictable)).toEqual(able);
      const order = Contact.inOrderOfEviction(all);
      expect(new Set(order)).toEqual(new Set(able));
      for (const [n, { onlyNamed, lastReceivedAt }] of order.entries()) {
        const next = order[n + 1];
        if (next === undefined) continue;
        if (onlyNamed === next.onlyNamed)
          expect(lastReceivedAt ?? -1).toBeLessThanOrEqual(next.lastReceivedAt ?? -1);
        else expect(onlyNamed).toBe(true);
      }
    }),
  );
});

test("of contacts with mail at the same time, the one created first is evicted", () => {
  const ids = ["c", "a", "b"].map((letter) => valueOf(parseContactId(letter.repeat(26))));
  const contacts = ids.map((id, n) => ({ ...Contact.of(alias, sample), id, createdAt: n < 2 ? 2 : 1 }));
  expect(Contact.inOrderOfEviction(contacts).map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]]);
});

test("what does not fit is evicted by its kind: stored ones before new ones, and of these the last one first", () => {
  fc.assert(
    fc.property(contacts, contacts, fc.integer({ min: -2, max: 25 }), (others, fresh, excess) => {
      const { added, leaving } = RecordedContacts.makeRoom(fresh, others, excess);
      const evictable = Contact.inOrderOfEviction(others);
      const refused = fresh.filter((each) => !added.includes(each));
      expect(leaving).toEqual(evictable.filter((each) => leaving.includes(each)));
      expect(added).toEqual(fresh.filter((each) => added.includes(each)));
      expect(leaving.length + refused.length).toBe(
        Math.min(Math.max(0, excess), evictable.length + fresh.length),
      );
      for (const named of [true, false]) {
        const isKind = ({ onlyNamed }: Contact) => onlyNamed === named;
        // Each is the beginning of its queue, and nobody in the next queue has gone unless all in this one have.
        const queues = [evictable, fresh.toReversed()].map((queue) => queue.filter(isKind));
        const gone = [...leaving, ...refused].filter(isKind);
        const [stored = [], newest = []] = queues;
        expect(new Set(gone)).toEqual(new Set([...stored, ...newest].slice(0, gone.length)));
        if (named && gone.length < stored.length + newest.length) {
          expect([...leaving, ...refused].every(isKind)).toBe(true);
        }
      }
    }),
  );
});

test("of the new contacts, all are left except those that were only named beyond 100 in an hour", () => {
  fc.assert(
    fc.property(fc.array(contact, { maxLength: 30 }), fc.integer({ min: 60, max: 120 }), (fresh, recent) => {
      const left = RecordedContacts.withFewNamed(fresh, recent);
      const named = fresh.filter(({ onlyNamed }) => onlyNamed).slice(0, Math.max(0, 100 - recent));
      expect(left).toEqual(fresh.filter((each) => !each.onlyNamed || named.includes(each)));
    }),
  );
});

describe("the position of a contact", () => {
  test("is later than the positions of all contacts created before it", () => {
    fc.assert(
      fc.property(contact, contact, (one, other) => {
        const order = compareIds(Contact.position(one), Contact.position(other));
        expect(Math.sign(order)).toBe(
          Math.sign(one.createdAt - other.createdAt || compareIds(one.id, other.id)),
        );
      }),
    );
    const last = { createdAt: Number.MAX_SAFE_INTEGER, id: valueOf(parseContactId("a".repeat(26))) };
    const first = { ...last, createdAt: 0 };
    expect(partsOfPosition(Contact.position({ ...Contact.of(alias, sample), ...last }))).toEqual(last);
    expect(partsOfPosition(Contact.position({ ...Contact.of(alias, sample), ...first }))).toEqual(first);
  });

  test("consists of its time and id, and can be parsed", () => {
    fc.assert(
      fc.property(contact, (one) => {
        const position = Contact.position(one);
        expect(valueOf(parseContactPosition(position))).toBe(position);
        expect(partsOfPosition(position)).toEqual({ createdAt: one.createdAt, id: one.id });
      }),
    );
    for (const text of [
      "",
      "x",
      `${"1".repeat(15)}${"a".repeat(26)}`,
      `${"1".repeat(16)}${"A".repeat(26)}`,
    ]) {
      expect(failureOf(parseContactPosition(text)).issues).toEqual([
        { path: [], reason: "must be the `next` of another page" },
      ]);
    }
  });
});

const sample: Correspondent = {
  id: valueOf(parseContactId("b".repeat(26))),
  email: valueOf(parseEmailAddress("bob@sender.example")),
  kind: "received",
  at: 1,
};

describe("a recording", () => {
  test("has each address and each id once, with the latest times of its correspondents", () => {
    fc.assert(
      fc.property(fc.array(correspondent, { maxLength: 8 }), (correspondents) => {
        const recorded = RecordedContacts.of(alias, correspondents);
        const keys = recorded.map(({ email }) => email.toLowerCase());
        expect(new Set(keys).size).toBe(recorded.length);
        expect(new Set(recorded.map(({ id }) => id)).size).toBe(recorded.length);
        for (const one of recorded) {
          const own = correspondents.filter(({ email }) => email.toLowerCase() === one.email.toLowerCase());
          const times = (kind: Correspondent["kind"]) =>
            own.filter((each) => each.kind === kind).map(({ at }) => at);
          const latest = (all: readonly number[]) => (isNonEmpty(all) ? Math.max(...all) : null);
          expect(one).toMatchObject({
            email: own[0]?.email,
            id: own[0]?.id,
            createdAt: own[0]?.at,
            addedAt: times("added")[0] ?? null,
            onlyNamed: own.every(({ kind }) => kind === "named"),
            lastReceivedAt: latest([...times("received"), ...times("named")]),
            lastSentAt: latest(times("sent")),
          });
        }
      }),
    );
  });

  test("leaves out an address with the id of another one", () => {
    const other = { ...sample, email: valueOf(parseEmailAddress("eve@sender.example")) };
    const recorded = RecordedContacts.of(alias, [sample, other, sample]);
    expect(recorded.map(({ email }) => email)).toEqual([sample.email]);
    expect(RecordedContacts.result([sample, other], recorded)).toEqual([recorded[0], null]);
  });

  test("is compared with the stored contacts: each address is new or known, and only changes are noted", () => {
    fc.assert(
      fc.property(
        fc.array(correspondent, { maxLength: 8 }),
        fc.uniqueArray(contact, { selector: ({ email }) => email.toLowerCase() }),
        (correspondents, stored) => {
          const recorded = RecordedContacts.of(alias, correspondents);
          const { fresh, known, noted } = RecordedContacts.compare(recorded, stored);
          expect(fresh.length + known.length).toBe(recorded.length);
          for (const one of noted) {
            expect(known).toContain(one);
            expect(stored).not.toContain(one);
          }
          for (const one of known) if (!noted.includes(one)) expect(stored).toContain(one);
          for (const one of fresh) expect(recorded).toContain(one);
          const result = RecordedContacts.result(correspondents, [...fresh, ...known]);
          expect(result.map((one) => one?.email.toLowerCase())).toEqual(
            correspondents.map(({ email }) => email.toLowerCase()),
          );
        },
      ),
    );
  });
});

describe("a stored contact", () => {
  test("is parsed as it was written", () => {
    fc.assert(
      fc.property(contact, (one) => {
        expect(valueOf(parseContact({ ...one, more: 1 }))).toEqual(one);
      }),
    );
  });

  test("without any time of use is not valid", () => {
    const one = { ...Contact.of(alias, sample), lastReceivedAt: null };
    expect(failureOf(parseContact(one)).issues).toEqual([
      { path: ["lastReceivedAt"], reason: "must be a time, unless addedAt or lastSentAt is one" },
    ]);
  });

  test("of an earlier version has not only been named", () => {
    const { onlyNamed: _, ...earlier } = Contact.of(alias, { ...sample, kind: "named" });
    expect(valueOf(parseContact(earlier)).onlyNamed).toBe(false);
  });

  test.each(Object.keys(Contact.of(alias, sample)).filter((field) => field !== "onlyNamed"))(
    "without %s is not valid",
    (field) => {
      const { [field]: _, ...rest }: Record<string, unknown> = { ...Contact.of(alias, sample) };
      expect(failureOf(parseContact(rest)).code).toBe("invalid_request");
    },
  );
});
