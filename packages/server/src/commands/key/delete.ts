import { type ApiKey, err, ok, type Result } from "@postern/core";
import { accountArgument } from "../account/account-argument.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { withStore } from "../with-store.ts";

/** The key with this id, or the only one with this name. */
const keyNamed = (keys: readonly ApiKey[], name: string): Result<ApiKey, string> => {
  const found = keys.find(({ id }) => id === name);
  if (found !== undefined) return ok(found);
  const [key, ...others] = keys.filter((each) => each.name === name);
  if (key === undefined)
    return err("The account has no such key: `key list` shows them. Nothing was changed.");
  return others.length === 0
    ? ok(key)
    : err(
        "Several keys of the account have this name: name one by its id, as `key list` shows. Nothing was changed.",
      );
};

export const remove: Command["run"] = async (configuration, args) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  const [, name = ""] = args;
  return withStore(configuration, "alongside", async ({ apiKeys }) => {
    const keys = await apiKeys.list(account.value);
    if (keys.isErr()) return err(storeFailed(keys.error, "nothing was changed. Try again"));
    const key = keyNamed(keys.value, name);
    if (key.isErr()) return err(key.error);
    const removed = await apiKeys.remove(account.value, key.value.id);
    return removed
      .map(() => "Deleted: servers refuse the key within 10 seconds.")
      .mapErr((error) => storeFailed(error, "run the command again"));
  });
};
