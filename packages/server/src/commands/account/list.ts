import { type AccountId, err, ok, type PageRequest, type Result, type Store, walkPages } from "@postern/core";
import type { Command } from "../command.ts";
import { printLines } from "../print-lines.ts";
import { printable } from "../printable.ts";
import { withStore } from "../with-store.ts";
import { timeOf } from "./time-of.ts";

type Listed = { readonly account: AccountId; readonly suspendedAt: number | null };

const lineOf = ({ account, suspendedAt }: Listed): string =>
  suspendedAt === null ? printable(account) : `${printable(account)}\tsuspended since ${timeOf(suspendedAt)}`;

export const listAccounts: Command["run"] = async (configuration, args, flags) => {
  if (args.length > 0) return null;
  const format = flags.has("json") ? (listed: Listed) => JSON.stringify(listed) : lineOf;
  return withStore(configuration, "alongside", (store) => list(store, format));
};

const list = async (store: Store, format: (listed: Listed) => string): Promise<Result<string, string>> => {
  let listed = 0;
  let complete = true;
  async function* lines() {
    for await (const account of walkPages((page: PageRequest<AccountId>) => store.accounts(page))) {
      const since = account.isOk() ? await store.suspensions.find(account.value) : account;
      if (account.isErr() || since.isErr()) {
        complete = false;
        return;
      }
      yield format({ account: account.value, suspendedAt: since.value });
      listed += 1;
    }
  }
  const printed = await printLines(lines());
  if (printed.isErr()) return err(`${printed.error}: the list is incomplete.`);
  if (!complete) return err(`The store did not respond: the list is incomplete. Accounts listed: ${listed}.`);
  return ok(`Accounts listed: ${listed}.`);
};
