import { createInterface } from "node:readline";
import { type AccountId, err, ok, type Result, type Store } from "@postern/core";
import { eraseAccount } from "@postern/core/operations";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { printable } from "../printable.ts";
import { progress } from "../progress.ts";
import { timing } from "../timing.ts";
import { withStore } from "../with-store.ts";
import { accountArgument } from "./account-argument.ts";

/** After this many consecutive calls that erase nothing, requests are undoing the command's work, or the store cannot find what is left. */
const MAX_IDLE_CALLS = 20;

export const erase: Command["run"] = async (configuration, args, flags) => {
  const account = accountArgument(args);
  if (account.isErr()) return err(account.error);
  if (!flags.has("yes")) {
    const confirmed = await confirm(account.value);
    if (confirmed.isErr()) return err(confirmed.error);
  }
  return withStore(configuration, "alongside", (store) => eraseAll(store, account.value));
};

/** Asks for the account id again as confirmation. Fails if standard input is not a terminal. */
const confirm = async (account: AccountId): Promise<Result<void, string>> => {
  if (!process.stdin.isTTY) {
    return err("Nothing was erased: this cannot be undone, so confirm it with --yes.");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.setPrompt(
    `This erases everything that ${printable(account)} has, and cannot be undone. Type the account id to go on: `,
  );
  const { promise: typed, resolve } = Promise.withResolvers<string>();
  terminal.once("line", resolve).once("close", () => resolve(""));
  terminal.prompt();
  const answer = await typed;
  terminal.close();
  return answer === account ? ok() : err("Nothing was erased: that is not the account id.");
};

const WARNING =
  "Warning: the account is not suspended, so its requests can create things in the meantime. To be sure, run `account suspend` first, and wait for 10 seconds.";

const REMAINS =
  "What remains: the addresses of its aliases, which stay taken, without a link to the account; keyed hashes in the ledger of verification mail until they expire, a month at most, and for good if the owner of a mailbox wants no more mail; copies in backups. A user who can still sign in can start over with an empty account.";

const NOTHING = "Nothing was stored for this account: if it was not erased before, check its id.";

const eraseAll = async (store: Store, account: AccountId): Promise<Result<string, string>> => {
  const since = await store.suspensions.find(account);
  if (since.isErr()) return err(storeFailed(since.error, "nothing was erased. Run the command again"));
  if (since.value === null) process.stderr.write(`${WARNING}\n`);

  const { aliases, recipients, blockedSenders, webhooks, apiKeys, creations, suspensions } = store;
  const ports = { aliases, recipients, blockedSenders, webhooks, apiKeys, creations, suspensions };
  const eraseSome = eraseAccount({ ...ports, ...timing });
  const total = { aliases: 0, recipients: 0, blockedSenders: 0, webhooks: 0, apiKeys: 0 };
  const sum = (counts: typeof total) =>
    counts.aliases + counts.recipients + counts.blockedSenders + counts.webhooks + counts.apiKeys;
  const count = progress("erased");
  const end = (result: Result<string, string>) => {
    count.end();
    const erased = `Aliases erased: ${total.aliases}, recipients: ${total.recipients}, blocked senders: ${total.blockedSenders}, webhooks: ${total.webhooks}, API keys: ${total.apiKeys}.`;
    return result.map((text) => `${erased} ${text}`).mapErr((text) => `${text} ${erased}`);
  };
  for (let idle = 0; idle < MAX_IDLE_CALLS; ) {
    const erased = await eraseSome({ account });
    if (erased.isErr()) return end(err(storeFailed(erased.error, "run the command again")));
    total.aliases += erased.value.aliases;
    total.recipients += erased.value.recipients;
    total.blockedSenders += erased.value.blockedSenders;
    total.webhooks += erased.value.webhooks;
    total.apiKeys += erased.value.apiKeys;
    const erasedNow = sum(erased.value);
    for (let n = 0; n < erasedNow; n += 1) count.one();
    if (erased.value.done) {
      const nothing = since.value === null && sum(total) === 0;
      return end(ok(nothing ? NOTHING : REMAINS));
    }
    idle = erasedNow > 0 ? 0 : idle + 1;
  }
  return end(err("Not everything could be erased: suspend the account, and run the command again."));
};
