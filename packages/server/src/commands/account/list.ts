import { type AccountId, err, ok, type Result, type Store, type Unavailable } from "@postern/core";
import { type AccountsCursor, type PageRequest, walkPages } from "@postern/core/store";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printEach } from "../print-each.ts";
import { printable } from "../printable.ts";
import { timeOf } from "../time-of.ts";
import { withStore } from "../with-store.ts";

type Listed = { readonly account: AccountId; readonly suspendedAt: number | null };

const lineOf = ({ account, suspendedAt }: Listed): string =>
  suspendedAt === null ? printable(account) : `${printable(account)}\tsuspended since ${timeOf(suspendedAt)}`;

/** All accounts; ends after the first failure. */
async function* accountsOf(store: Store): AsyncGenerator<Result<Listed, Unavailable>> {
  for await (const account of walkPages((page: PageRequest<AccountsCursor>) => store.accounts(page))) {
    if (account.isErr()) return yield err(account.error);
    const since = await store.suspensions.find(account.value);
    yield since.map((suspendedAt) => ({ account: account.value, suspendedAt }));
  }
}

export const listAccounts: Command["run"] = async (configuration, _args, flags) =>
  withStore(configuration, "alongside", async (store) => {
    const printed = await printEach(accountsOf(store), flags.has("json") ? JSON.stringify : lineOf);
    return printed.andThen(({ count, failure }) =>
      failure === null
        ? ok(`Accounts listed: ${count}.`)
        : err(storeFailed(failure, `the list is incomplete. Accounts listed: ${count}`)),
    );
  });
