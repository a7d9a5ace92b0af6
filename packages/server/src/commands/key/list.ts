import { err } from "@postern/core";
import { accountArgument } from "../account/account-argument.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printLines } from "../print-lines.ts";
import { withStore } from "../with-store.ts";
import { showKey } from "./show-key.ts";

export const list: Command["run"] = async (configuration, args, flags) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  return withStore(configuration, "alongside", async ({ apiKeys }) => {
    const keys = await apiKeys.list(account.value);
    if (keys.isErr()) return err(storeFailed(keys.error, "try again"));
    const newestFirst = keys.value.toSorted((a, b) => b.createdAt - a.createdAt);
    return (await printLines(newestFirst.map(showKey(flags))))
      .map(() => `Keys listed: ${newestFirst.length}.`)
      .mapErr((reason) => `${reason}: the list is incomplete.`);
  });
};
