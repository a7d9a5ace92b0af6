import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { check, repair } from "./store/differences.ts";

export const storeCommand: Command = {
  usage: "store check [--json] | repair [--json] [--detach]",
  meaning:
    "compares what the store keeps twice, such as how many aliases list a recipient, and lists what differs; or makes it right as well. With --detach, also takes recipients that do not exist, or are not verified and active, off the aliases that list them, and deletes an alias that has no other; its owner can restore it. A server may be using the store",
  flags: ["json", "detach"],
  run: actions({ check, repair }),
};
