import type { AccountId, AliasId, Page, PageRequest, RecipientId, Store, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { ArchiveRecord } from "./record.ts";

type Listing<T, Id> = (request: PageRequest<Id>) => Promise<Result<Page<T, Id>, Unavailable>>;

/** Every item of every page; ends after the first failure. */
async function* walk<T, Id>(list: Listing<T, Id>): AsyncGenerator<Result<T, Unavailable>> {
  let after: Id | null = null;
  do {
    const page: Result<Page<T, Id>, Unavailable> = await list({ limit: 100, after });
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    for (const item of page.value.items) yield ok(item);
    after = page.value.next;
  } while (after !== null);
}

async function* recordsOf(
  { aliases, recipients }: Store,
  account: AccountId,
): AsyncGenerator<Result<ArchiveRecord, Unavailable>> {
  for await (const recipient of walk((page: PageRequest<RecipientId>) => recipients.list(account, page))) {
    yield recipient.map((recipient) => ({ kind: "recipient", recipient }));
  }
  for (const deleted of [false, true]) {
    for await (const alias of walk((page: PageRequest<AliasId>) =>
      aliases.list(account, page, { deleted }),
    )) {
      yield alias.map((alias) => ({ kind: "alias", alias }));
    }
  }
}

/**
 * Everything of one account, or of all when `account` is null, page by page: recipients before the aliases that
 * forward to them, as `importRecord` wants them. The identities of mail events are left out: an event that was counted
 * here and is told again elsewhere counts again.
 *
 * It is no snapshot: what changes meanwhile may be there as it was or as it is. After `unavailable` there is nothing
 * more.
 */
export async function* exportRecords(
  store: Store,
  account: AccountId | null,
): AsyncGenerator<Result<ArchiveRecord, Unavailable>> {
  if (account !== null) {
    yield* recordsOf(store, account);
    return;
  }
  for await (const each of walk(store.accounts)) {
    if (each.isErr()) {
      yield err(each.error);
      return;
    }
    for await (const record of recordsOf(store, each.value)) {
      yield record;
      if (record.isErr()) return;
    }
  }
}
