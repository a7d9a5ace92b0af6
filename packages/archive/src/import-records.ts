import {
  type Alias,
  type Contact,
  type EmailAddress,
  err,
  ok,
  type Recipient,
  type Result,
  type Store,
} from "@postern/core";
import type { Batch, CreateAll } from "@postern/core/store";
import { type ImportError, type Imported, importRecord } from "./import-record.ts";
import { checkDestinations, checkRecord, type ImportRules } from "./import-rules.ts";
import type { ArchiveRecord } from "./record.ts";

/** A store that can perhaps create many things together. */
export type ImportStore = Store & { readonly createAll?: CreateAll };

/** Few enough that others wait for some 50 ms, and so many that one flush of the disk for all of them hardly matters. */
const BATCH_SIZE = 500;

/** The kinds of nearly all records of an archive. The others are imported one by one. */
const BATCHED = ["recipient", "alias", "contact", "retired_address"] as const;

type BatchedRecord = Extract<ArchiveRecord, { kind: (typeof BATCHED)[number] }>;

const isBatched = (record: ArchiveRecord): record is BatchedRecord =>
  BATCHED.some((kind) => kind === record.kind);

const keyOf = (account: string, id: string): string => JSON.stringify([account, id]);

/** Finds recipients among those that were added, and in the store, which is asked only once for each that it has. */
const knownRecipients = ({ recipients }: Store) => {
  const known = new Map<string, Recipient>();
  const add = (recipient: Recipient) => known.set(keyOf(recipient.account, recipient.id), recipient);
  const findAll: typeof recipients.findAll = async (account, ids) => {
    const missing = ids.filter((id) => !known.has(keyOf(account, id)));
    if (missing.length > 0) {
      const found = await recipients.findAll(account, missing);
      if (found.isErr()) return err(found.error);
      for (const recipient of found.value) add(recipient);
    }
    return ok([...new Set(ids)].flatMap((id) => known.get(keyOf(account, id)) ?? []));
  };
  return { add, findAll };
};

/** The records as a batch; null if one of them would be refused if they were imported one after another. */
const batchOf = async (store: Store, records: readonly BatchedRecord[]): Promise<Batch | null> => {
  const recipients: Recipient[] = [];
  const aliases: Alias[] = [];
  const contacts: Contact[] = [];
  const retiredAddresses: EmailAddress[] = [];
  const known = knownRecipients(store);
  const aliasesOfContacts = new Set<string>();
  for (const record of records) {
    switch (record.kind) {
      case "recipient": {
        const recipient = { ...record.recipient, attached: 0 };
        known.add(recipient);
        recipients.push(recipient);
        break;
      }
      case "alias": {
        const { alias } = record;
        const isTooLate = aliasesOfContacts.has(keyOf(alias.account, alias.id));
        if (isTooLate || (await checkDestinations({ recipients: known }, alias)).isErr()) return null;
        aliases.push(alias);
        break;
      }
      case "contact":
        aliasesOfContacts.add(keyOf(record.contact.account, record.contact.alias));
        contacts.push(record.contact);
        break;
      case "retired_address":
        retiredAddresses.push(record.email);
    }
  }
  return { recipients, aliases, contacts, retiredAddresses };
};

/** Whether all of the records were stored together, because none of them would have been refused. Otherwise nothing was stored. */
const storedTogether = async (store: ImportStore, records: readonly BatchedRecord[]): Promise<boolean> => {
  if (store.createAll === undefined || records.length < 2) return false;
  const batch = await batchOf(store, records);
  return batch !== null && (await store.createAll(batch)).isOk();
};

/** At most `size` records each. A suspension is the last one, so that an account is suspended before it has anything. */
async function* batchesOf<E>(
  records: AsyncIterable<Result<ArchiveRecord, E>>,
  size: number,
): AsyncGenerator<readonly Result<ArchiveRecord, E>[]> {
  let batch: Result<ArchiveRecord, E>[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < size && (record.isErr() || record.value.kind !== "suspension")) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Reads the next item while the consumer works on one. */
async function* readAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  for (;;) {
    const { done, value } = await next;
    if (done === true) return;
    next = items.next();
    // If this fails, it does so when the consumer asks for it.
    next.catch(() => {});
    yield value;
  }
}

/**
 * Imports the records as `importRecord` does one after another, and yields their results in the same order; a record that could not be read
 * yields its error. If the store has `createAll`, up to 500 records are stored in one transaction, and one by one only if one of them would
 * be refused: this is ten times as fast. Of the records whose results the caller has not asked for, at most the rest of such a transaction
 * is stored.
 *
 * @example
 * ```ts
 * for await (const imported of importRecords(store, records, rules)) {
 *   if (imported.isErr()) console.error(imported.error.code);
 * }
 * ```
 */
export async function* importRecords<E>(
  store: ImportStore,
  records: AsyncIterable<Result<ArchiveRecord, E>>,
  rules: ImportRules,
): AsyncGenerator<Result<Imported, E | ImportError>> {
  const size = store.createAll === undefined ? 1 : BATCH_SIZE;
  for await (const batch of readAhead(batchesOf(records, size))) {
    const checked = batch.flatMap((record) =>
      record.isOk() && isBatched(record.value) && checkRecord(record.value, rules).isOk()
        ? [record.value]
        : [],
    );
    const stored = new Set<ArchiveRecord>((await storedTogether(store, checked)) ? checked : []);
    for (const record of batch) {
      if (record.isErr()) yield err(record.error);
      else if (stored.has(record.value)) yield ok("stored");
      else yield await importRecord(store, record.value, rules);
    }
  }
}
