import type {
  AccountId,
  Alias,
  AliasId,
  BlockedSender,
  BlockedSenderId,
  Contact,
  EmailAddress,
  LoggedMessage,
  Recipient,
  RecipientId,
  Result,
  Store,
} from "@postern/core";
import type {
  AccountsCursor,
  AliasFilter,
  AliasKey,
  ContactPosition,
  ContactsCursor,
  LedgerEntry,
  LedgerKey,
  MessagePosition,
  Page,
  PageRequest,
} from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

/** Lists one page. */
export type List<T, Id extends string> = (
  page: PageRequest<Id>,
) => Promise<Result<Page<T, Id>, { readonly code: string }>>;

/** Far more than any check needs: pages can be short or empty, but must end. */
const MAX_PAGES = 1_000;

/** Every item of every page after `from`. Throws if paging never ends. */
export const walk = async <T, Id extends string>(
  list: List<T, Id>,
  limit = 100,
  from: Id | null = null,
): Promise<T[]> => {
  const items: T[] = [];
  const visited = new Set([from]);
  for (let after = from; ; ) {
    const page: Page<T, Id> = valueOf(await list({ limit, after }));
    const count = page.items.length;
    if (count > limit) throw new Error(`a page has ${count} items, although at most ${limit} were requested`);
    items.push(...page.items);
    if (page.next === null) return items;
    if (visited.has(page.next)) throw new Error("paging does not advance: a page returned an earlier `next`");
    if (visited.size > MAX_PAGES) throw new Error(`paging does not advance: no end after ${MAX_PAGES} pages`);
    visited.add(page.next);
    after = page.next;
  }
};

export const aliasesOf =
  (store: Store, account: AccountId, filter: AliasFilter = { deleted: false }): List<Alias, AliasId> =>
  (page) =>
    store.aliases.list(account, page, filter);

export const recipientsOf =
  (store: Store, account: AccountId): List<Recipient, RecipientId> =>
  (page) =>
    store.recipients.list(account, page);

export const contactsOf =
  (store: Store, alias: AliasKey): List<Contact, ContactPosition> =>
  (page) =>
    store.contacts.list(alias, page);

export const contactsOfAccount =
  (store: Store, account: AccountId): List<Contact, ContactsCursor> =>
  (page) =>
    store.contacts.listOfAccount(account, page);

export const blockedSendersOf =
  (store: Store, account: AccountId): List<BlockedSender, BlockedSenderId> =>
  (page) =>
    store.blockedSenders.list(account, page);

export const messagesOf =
  (store: Store, alias: AliasKey): List<LoggedMessage, MessagePosition> =>
  (page) =>
    store.messageLog.list(alias, page);

export const accountsOf =
  (store: Store): List<AccountId, AccountsCursor> =>
  (page) =>
    store.accounts(page);

export const retiredAddressesOf =
  (store: Store): List<EmailAddress, EmailAddress> =>
  (page) =>
    store.aliases.listRetiredAddresses(page);

export const entriesOf =
  (store: Store): List<LedgerEntry, LedgerKey> =>
  (page) =>
    store.mailLedger.list(page);
