import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { check, repair } from "./store/differences.ts";

export const storeCommand: Command = {
  usages: [
    {
      line: "store check [--json]",
      meaning:
        "compares redundant data in the store, such as how many aliases list a recipient, and lists what differs. Safe while a server is using the store",
    },
    {
      line: "store repair [--json] [--detach]",
      meaning:
        "does the same, and corrects what differs. With --detach, it also takes recipients that do not exist, or are not verified and active, off the aliases that list them, and deletes an alias that has no other; its owner can restore it",
    },
  ],
  flags: ["json", "detach"],
  run: actions({ check, repair }),
};
