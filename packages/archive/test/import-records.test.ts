import { memoryStore } from "@postern/adapter-memory";
import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  type Alias,
  type Contact,
  err,
  ok,
  parseAccountId,
  parseAliasDomains,
  parseAliasId,
  parseBlockedSenderId,
  parseContactId,
  parseEmailAddress,
  parseRecipientId,
  type Result,
  reservedNames,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { SharedPostgres } from "@postern/test-support/postgres";
import { runsWhole } from "@postern/test-support/runs-whole";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  type ArchivedRecipient,
  type ArchiveRecord,
  exportRecords,
  type ImportStore,
  importRecord,
  importRecords,
  writeRecord,
} from "../src/index.ts";
import * as samples from "./support/samples.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

const rules = {
  aliasDomains: valueOf(parseAliasDomains(["alias.example"])),
  isReserved: reservedNames([]),
  clock: Date,
};

const address = (text: string) => valueOf(parseEmailAddress(text));

type Line = Result<ArchiveRecord, { readonly code: "unreadable" }>;

/** The first `count` recipients of the account, each with an alias that has a contact. */
const recordsOf = (name: string, count: number): readonly ArchiveRecord[] => {
  const account = valueOf(parseAccountId(name));
  const recipients = Array.from(
    { length: count },
    (_, n): ArchivedRecipient => ({
      ...samples.recipient,
      account,
      id: valueOf(parseRecipientId(`r${n}`)),
      email: address(`me-${n}@${name}.example`),
    }),
  );
  const aliases = recipients.map(
    ({ id, email }, n): Alias => ({
      ...samples.alias,
      account,
      id: valueOf(parseAliasId(`a${n}`)),
      email: address(`${name}-${n}@alias.example`),
      destinations: [{ recipientId: id, email }],
      tallies: { ...samples.alias.tallies, sent: { count: n, lastAt: n === 0 ? null : n } },
      deletedAt: n % 3 === 2 ? 5 : null,
    }),
  );
  const letters = (n: number) =>
    `${name}${n}`.replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
  const contacts = aliases.map(
    ({ id }, n): Contact => ({
      ...samples.contact,
      account,
      alias: id,
      id: valueOf(parseContactId(letters(n).padEnd(26, "a"))),
    }),
  );
  return [
    ...recipients.map((recipient) => ({ kind: "recipient", recipient }) as const),
    ...aliases.map((alias) => ({ kind: "alias", alias }) as const),
    ...contacts.map((contact) => ({ kind: "contact", contact }) as const),
  ];
};

/** As an export has them. */
const ARCHIVE: readonly ArchiveRecord[] = [
  ...["first", "second"].flatMap((name): readonly ArchiveRecord[] => {
    const account = valueOf(parseAccountId(name));
    return [
      { kind: "suspension", suspension: { account, suspendedAt: 4 } },
      ...recordsOf(name, 3),
      {
        kind: "blocked_sender",
        blockedSender: {
          ...samples.blockedSender,
          account,
          id: valueOf(parseBlockedSenderId(name.padEnd(26, "a"))),
        },
      },
    ];
  }),
  { kind: "retired_address", email: address("erased@alias.example") },
  { kind: "retired_address", email: address("gone@alias.example") },
  { kind: "mail_ledger_entry", entry: samples.entry },
];

/** What can be wrong with an archive. Each function changes the lines, at places that are chosen at random. */
const DAMAGES: readonly ((lines: Line[], from: number, to: number) => void)[] = [
  // Moved, repeated, missing, unreadable.
  (lines, from, to) => void lines.splice(to, 0, ...lines.splice(from, 1)),
  (lines, from, to) => void lines.splice(to, 0, ...lines.slice(from, from + 1)),
  (lines, from) => void lines.splice(from, 1),
  (lines, from) => void lines.splice(from, 0, err({ code: "unreadable" })),
  // With the address of another one of its kind, or changed, or refused without asking the store.
  (lines, from, to) => {
    const [one, other] = [lines[from]?.unwrapOr(null), lines[to]?.unwrapOr(null)];
    if (one?.kind === "alias" && other?.kind === "alias")
      lines.splice(from, 1, ok({ ...one, alias: { ...one.alias, email: other.alias.email } }));
    if (one?.kind === "alias" && other?.kind === "retired_address")
      lines.splice(to, 1, ok({ ...other, email: one.alias.email }));
    if (one?.kind === "recipient" && other?.kind === "recipient")
      lines.splice(from, 1, ok({ ...one, recipient: { ...one.recipient, email: other.recipient.email } }));
  },
  (lines, from) => {
    const one = lines[from]?.unwrapOr(null);
    if (one?.kind === "recipient")
      lines.splice(from, 1, ok({ ...one, recipient: { ...one.recipient, active: false } }));
    if (one?.kind === "alias")
      lines.splice(
        from,
        1,
        ok({ ...one, alias: { ...one.alias, email: address("postmaster@alias.example") } }),
      );
  },
];

const place = fc.nat({ max: ARCHIVE.length - 1 });
const archive = fc
  .array(fc.tuple(fc.constantFrom(...DAMAGES), place, place), { maxLength: 3 })
  .map((damages) => {
    const lines = ARCHIVE.map((record): Line => ok(record));
    for (const [damage, from, to] of damages) damage(lines, from, to);
    return lines;
  });

async function* arriving<T>(items: Iterable<T>) {
  yield* items;
}

const outcomesOf = async (store: ImportStore, lines: Iterable<Line>): Promise<readonly string[]> => {
  const outcomes: string[] = [];
  for await (const imported of importRecords(store, arriving(lines), rules)) {
    outcomes.push(imported.isOk() ? imported.value : imported.error.code);
  }
  return outcomes;
};

const oneByOne = async (store: Store, lines: readonly Line[]): Promise<readonly string[]> => {
  const outcomes: string[] = [];
  for (const line of lines) {
    const imported = line.isOk() ? await importRecord(store, line.value, rules) : err(line.error);
    outcomes.push(imported.isOk() ? imported.value : imported.error.code);
  }
  return outcomes;
};

const contentOf = async (store: Store): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const record of exportRecords(store, null)) lines.push(writeRecord(valueOf(record)));
  return lines.toSorted();
};

const openSqlite = async () => valueOf(sqliteStore({ path: ":memory:", clock: Date }));
const openPostgres = async () => {
  const url = valueOf(parsePostgresUrl(await postgres.newDatabase()));
  return valueOf(await postgresStore({ url, clock: Date, timeoutMs: 600_000 }));
};

const whole = runsWhole(import.meta.url);

test.for([
  { name: "SQLite", open: openSqlite, numRuns: whole ? 2_000 : 200 },
  { name: "PostgreSQL", open: openPostgres, numRuns: whole ? 100 : 20 },
])(
  "in $name, whatever is wrong with an archive, records stored together are those that would be stored one by one, also again",
  { timeout: 600_000 },
  async ({ open, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(archive, async (lines) => {
        const [together, single] = [await open(), memoryStore()];
        for (const _ of ["first", "again"]) {
          expect(await outcomesOf(together, lines)).toEqual(await oneByOne(single, lines));
          expect(await contentOf(together)).toEqual(await contentOf(single));
        }
        await together.close();
        await postgres.dropDatabases();
      }),
      { numRuns, examples: [[ARCHIVE.map((record): Line => ok(record))]] },
    );
  },
);

/** A store that creates these only together, and how many each time. */
const onlyTogether = async () => {
  const { createAll, close, ...store } = await openSqlite();
  const created: number[] = [];
  const counting: ImportStore = {
    ...store,
    recipients: { ...store.recipients, create: () => expect.unreachable("a recipient is created alone") },
    aliases: { ...store.aliases, create: () => expect.unreachable("an alias is created alone") },
    contacts: { ...store.contacts, create: () => expect.unreachable("a contact is created alone") },
    createAll: (batch) => {
      created.push(Object.values(batch).reduce((sum, { length }) => sum + length, 0));
      return createAll(batch);
    },
  };
  return { store: counting, created, close };
};

test("500 records at a time are stored together, across accounts, and lines that cannot be read do not separate them", async () => {
  const { store, created, close } = await onlyTogether();
  const records = ["first", "second", "third"].flatMap((name) => recordsOf(name, 120));
  const lines = records.map((record): Line => ok(record));
  lines.splice(7, 0, err({ code: "unreadable" }));
  const outcomes = await outcomesOf(store, lines);
  expect(outcomes).toEqual(lines.map((line) => (line.isOk() ? "stored" : "unreadable")));
  expect(created).toEqual([499, 500, 81]);
  close();
});

test("an account is suspended before it has anything", async () => {
  const { store, created, close } = await onlyTogether();
  const account = valueOf(parseAccountId("second"));
  const records: readonly ArchiveRecord[] = [
    ...recordsOf("first", 1),
    { kind: "suspension", suspension: { account, suspendedAt: 4 } },
    ...recordsOf("second", 1),
  ];
  const suspend: typeof store.suspensions.suspend = (...suspension) => {
    expect(created).toEqual([3]);
    return store.suspensions.suspend(...suspension);
  };
  const suspensions = { ...store.suspensions, suspend };
  const outcomes = await outcomesOf(
    { ...store, suspensions },
    records.map((record): Line => ok(record)),
  );
  expect(outcomes).toEqual(records.map(() => "stored"));
  expect(created).toEqual([3, 3]);
  close();
});

test("whoever stops asking for results stops the import: two batches have been read at most, and one stored", async () => {
  const { store, created, close } = await onlyTogether();
  let read = 0;
  const endless = function* (): Generator<Line> {
    for (; ; read += 1) yield ok({ kind: "retired_address", email: address(`x-${read}@alias.example`) });
  };
  for await (const imported of importRecords(store, arriving(endless()), rules)) {
    expect(valueOf(imported)).toBe("stored");
    break;
  }
  expect(created).toEqual([500]);
  expect(read).toBeLessThanOrEqual(2 * 500);
  close();
});

test("a store that creates nothing together gets each record as it arrives", async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const lines = async function* (): AsyncGenerator<Line> {
    yield ok({ kind: "retired_address", email: address("x@alias.example") });
    await never;
  };
  for await (const imported of importRecords(memoryStore(), lines(), rules)) {
    expect(valueOf(imported)).toBe("stored");
    return;
  }
  expect.unreachable("there is no result");
});

test("records that cannot be read to the end reject the import after the results of those before", async () => {
  const lines = async function* (): AsyncGenerator<Line> {
    yield ok({ kind: "retired_address", email: address("x@alias.example") });
    throw new Error("the disk is gone");
  };
  const outcomes: string[] = [];
  const importing = async () => {
    for await (const imported of importRecords(memoryStore(), lines(), rules))
      outcomes.push(valueOf(imported));
  };
  await expect(importing()).rejects.toThrow("the disk is gone");
  expect(outcomes).toEqual(["stored"]);
});
