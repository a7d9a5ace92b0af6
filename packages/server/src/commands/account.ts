import { erase } from "./account/erase.ts";
import { listAccounts } from "./account/list.ts";
import { showAccount } from "./account/show.ts";
import { resume, suspend } from "./account/suspend.ts";
import { actions } from "./actions.ts";
import type { Command } from "./command.ts";

export const accountCommand: Command = {
  usages: [
    {
      line: "account list [--json]",
      meaning:
        "lists all accounts. Safe while a server is using the store, as with all commands about accounts",
    },
    {
      line: "account show [--json] ACCOUNT",
      meaning:
        "shows how many aliases, recipients, blocked senders and webhooks an account has, and whether it is suspended",
    },
    {
      line: "account suspend ACCOUNT",
      meaning: "suspends an account: its requests are refused, and its aliases accept no mail",
    },
    {
      line: "account resume ACCOUNT",
      meaning: "ends the suspension of an account",
    },
    {
      line: "account erase [--yes] ACCOUNT",
      meaning: "erases everything that an account has, for good",
    },
  ],
  flags: ["json", "yes"],
  run: actions({ list: listAccounts, show: showAccount, suspend, resume, erase }),
};
