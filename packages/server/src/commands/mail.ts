import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { createKey } from "./mail/key.ts";
import { printRecords } from "./mail/records.ts";

export const mailCommand: Command = {
  usage: "mail key | records [--json]",
  meaning:
    "makes the key that signs forwarded mail, in the new file POSTERN_DKIM_KEY, and prints what to publish of it; prints all DNS records that the alias domains need, as lines of a zone file with explanations",
  flags: ["json"],
  run: actions({ key: createKey, records: printRecords }),
};
