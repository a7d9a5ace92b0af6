import { erase } from "./account/erase.ts";
import { listAccounts } from "./account/list.ts";
import { showAccount } from "./account/show.ts";
import { resume, suspend } from "./account/suspend.ts";
import { actions } from "./actions.ts";
import type { Command } from "./command.ts";

export const accountCommand: Command = {
  usage:
    "account list [--json] | show [--json] ACCOUNT | suspend ACCOUNT | resume ACCOUNT | erase [--yes] ACCOUNT",
  meaning:
    "lists all accounts; shows how many aliases and recipients one has; suspends it, so that it can do nothing and its aliases accept no mail, or resumes it; erases everything it has, for good. A server may be using the store",
  flags: ["json", "yes"],
  run: actions({ list: listAccounts, show: showAccount, suspend, resume, erase }),
};
