import { type AccountId, err, type Result, type Store } from "@postern/core";
import { nodeRandom, uuids } from "@postern/node";
import type { AccountConfiguration } from "../../configuration/configuration.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { missingVariables } from "../missing-variables.ts";
import { timing } from "../timing.ts";
import { withStore } from "../with-store.ts";
import { accountArgument } from "./account-argument.ts";

/** Only keys have to be hashed: those of programs by `key create` itself, and no command has an idempotency key. */
const hash = (): never => {
  throw new Error("A command has an idempotency key");
};

const portsOf = (
  { aliases, recipients, creations, apiKeys }: Store,
  configuration: AccountConfiguration,
) => ({
  aliases,
  recipients,
  creations,
  apiKeys,
  ids: uuids,
  secrets: { ...nodeRandom, hash },
  ...configuration,
  ...timing,
});

/** What use cases of the account need: the limits, domains and reserved names are those of the server. */
export type OwnerPorts = ReturnType<typeof portsOf>;

/**
 * A command that does what the owner of the account could do, who is the first argument. As for the owner, nothing can be done while the
 * account is suspended.
 */
export const forOwner =
  (
    work: (
      account: AccountId,
      args: readonly string[],
      flags: ReadonlySet<string>,
      ports: OwnerPorts,
    ) => Promise<Result<string, string>>,
  ): Command["run"] =>
  async (configuration, [first = "", ...args], flags) => {
    const account = accountArgument([first]);
    if (account.isErr()) return err(account.error);
    const { accounts } = configuration;
    if (accounts.isErr()) return err(missingVariables(accounts.error));
    return withStore(configuration, "alongside", async (store) => {
      const since = await store.suspensions.find(account.value);
      if (since.isErr()) return err(storeFailed(since.error, "nothing was changed. Try again"));
      if (since.value !== null)
        return err("Nothing was changed: the account is suspended. Run `account resume` first.");
      return work(account.value, args, flags, portsOf(store, accounts.value));
    });
  };
