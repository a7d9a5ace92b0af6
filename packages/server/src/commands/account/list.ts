import { type AccountId, err, ok, type Result, type Store, type Unavailable } from "@postern/core";
import { type AccountsCursor, type PageRequest, walkPages } from "@postern/core/store";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import { withStore } from "../with-store.ts";
import { timeOf } from "./time-of.ts";

type Listed = { readonly account: AccountId; readonly suspendedAt: number | null };

const lineOf = ({ account, suspendedAt }: Listed): string =>
  suspendedAt === null ? printable(account) : `${printable(account)}\tsuspended since ${timeOf(suspendedAt)}`;

export const listAccounts: Command["run"] = async (configuration, _args, flags) => {
  const format = flags.has("json") ? (listed: Listed) => JSON.stringify(listed) : lineOf;
  return withStore(configuration, "alongside", (store) => list(store, format));
};

const list = async (store: Store, format: (listed: Listed) => string): Promise<Result<string, string>> => {
  let listed = 0;
  let failure: Unavailable | null = null;
  async function* lines() {
    for await (const account of walkPages((page: PageRequest<AccountsCursor>) => store.accounts(page))) {
      if (account.isErr()) {
        failure = account.error;
        return;
      }
      const since = await store.suspensions.find(account.value);
      if (since.isErr()) {
        failure = since.error;
        return;
      }
      yield format({ account: account.value, suspendedAt: since.value });
      listed += 1;
    }
  }
  const end = (): Result<string, string> =>
    failure === null
      ? ok(`Accounts listed: ${listed}.`)
      : err(storeFailed(failure, `the list is incomplete. Accounts listed: ${listed}`));
  const printed = await printLines(lines());
  return printed.isErr() ? err(`${printed.error}: the list is incomplete.`) : end();
};
