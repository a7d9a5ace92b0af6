import {
  type AccountId,
  type Alias,
  type AliasId,
  err,
  ok,
  type Result,
  type Store,
  type Unavailable,
} from "@postern/core";
import { type PageRequest, walkPages } from "@postern/core/store";
import { accountArgument } from "../account/account-argument.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printEach } from "../print-each.ts";
import { withStore } from "../with-store.ts";
import { showAlias } from "./show-alias.ts";

/** The aliases of the account, newest first, and deleted ones last. Ends after the first failure. */
async function* aliasesOf(
  { aliases }: Store,
  account: AccountId,
): AsyncGenerator<Result<Alias, Unavailable>> {
  for (const deleted of [false, true]) {
    const list = (page: PageRequest<AliasId>) => aliases.list(account, page, { deleted });
    for await (const alias of walkPages(list)) {
      yield alias;
      if (alias.isErr()) return;
    }
  }
}

export const listAliases: Command["run"] = async (configuration, args, flags) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  return withStore(configuration, "alongside", async (store) => {
    const printed = await printEach(aliasesOf(store, account.value), showAlias(flags));
    return printed.andThen(({ count, failure }) =>
      failure === null
        ? ok(`Aliases listed: ${count}.`)
        : err(storeFailed(failure, `the list is incomplete. Aliases listed: ${count}`)),
    );
  });
};
