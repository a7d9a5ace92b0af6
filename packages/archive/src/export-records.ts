import {
  type AccountId,
  type AliasId,
  type BlockedSenderId,
  type EmailAddress,
  err,
  ok,
  type RecipientId,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import {
  type AccountsCursor,
  type ContactsCursor,
  type LedgerKey,
  type PageRequest,
  walkPages,
} from "@postern/core/store";
import type { ArchiveRecord } from "./record.ts";

type Records = AsyncGenerator<Result<ArchiveRecord, Unavailable>>;

async function* recordsOf(
  { aliases, recipients, contacts, blockedSenders, webhooks, apiKeys, suspensions }: Store,
  account: AccountId,
): Records {
  // First, so that an import suspends the account before it has anything.
  const suspendedAt = await suspensions.find(account);
  if (suspendedAt.isErr()) yield err(suspendedAt.error);
  else if (suspendedAt.value !== null) {
    yield ok({ kind: "suspension", suspension: { account, suspendedAt: suspendedAt.value } });
  }
  for await (const recipient of walkPages((page: PageRequest<RecipientId>) =>
    recipients.list(account, page),
  )) {
    yield recipient.map(({ attached: _, ...recipient }) => ({ kind: "recipient", recipient }));
  }
  for (const deleted of [false, true]) {
    const list = (page: PageRequest<AliasId>) => aliases.list(account, page, { deleted });
    for await (const alias of walkPages(list)) {
      yield alias.map((alias) => ({ kind: "alias", alias }));
    }
  }
  for await (const contact of walkPages((page: PageRequest<ContactsCursor>) =>
    contacts.listOfAccount(account, page),
  )) {
    yield contact.map((contact) => ({ kind: "contact", contact }));
  }
  for await (const blockedSender of walkPages((page: PageRequest<BlockedSenderId>) =>
    blockedSenders.list(account, page),
  )) {
    yield blockedSender.map((blockedSender) => ({ kind: "blocked_sender", blockedSender }));
  }
  const listed = await webhooks.list(account);
  if (listed.isErr()) yield err(listed.error);
  else for (const webhook of listed.value) yield ok({ kind: "webhook", webhook });
  const found = await apiKeys.list(account);
  if (found.isErr()) yield err(found.error);
  else for (const apiKey of found.value) yield ok({ kind: "api_key", apiKey });
}

async function* allRecords(store: Store): Records {
  for await (const account of walkPages((page: PageRequest<AccountsCursor>) => store.accounts(page))) {
    if (account.isErr()) yield err(account.error);
    else yield* recordsOf(store, account.value);
  }
  // Last, so that an alias erased during the export leaves at least its retired address.
  const list = (page: PageRequest<EmailAddress>) => store.aliases.listRetiredAddresses(page);
  for await (const email of walkPages(list)) yield email.map((email) => ({ kind: "retired_address", email }));
  const ledger = (page: PageRequest<LedgerKey>) => store.mailLedger.list(page);
  for await (const entry of walkPages(ledger)) {
    yield entry.map(({ version: _, ...entry }) => ({ kind: "mail_ledger_entry", entry }));
  }
}

/**
 * Everything in the store, page by page: for each account its suspension, recipients, aliases and then their contacts, which is the
 * order that `importRecord` needs, followed by its blocked senders, webhooks and API keys; finally, the retired addresses and the mail
 * ledger. With an `account`, only what belongs to that account.
 *
 * A failure (`unavailable`) ends the export.
 *
 * The ids of mail events are not exported: an event that was counted before the export and is reported again after the import is
 * counted again. Nor are the announcements that webhooks have yet to receive. The export is not a snapshot: a record that changes in
 * the meantime may appear as it was before or after the change. To get a consistent copy, stop all writers first.
 *
 * @example
 * ```ts
 * for await (const record of exportRecords(store, null)) {
 *   if (record.isErr()) throw new Error("The store is unavailable: the export is incomplete");
 *   console.log(writeRecord(record.value));
 * }
 * ```
 */
export async function* exportRecords(store: Store, account: AccountId | null): Records {
  for await (const record of account === null ? allRecords(store) : recordsOf(store, account)) {
    yield record;
    if (record.isErr()) return;
  }
}
