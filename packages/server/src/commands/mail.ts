import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { createKey } from "./mail/key.ts";
import { queue } from "./mail/queue.ts";
import { printRecords } from "./mail/records.ts";

export const mailCommand: Command = {
  usage:
    "mail key | records [--json] | queue list [--json] | queue show [--json] COPY | queue retry COPY | queue drop COPY",
  meaning:
    "makes the key that signs forwarded mail, in the new file POSTERN_DKIM_KEY, and prints what to publish of it; prints all DNS records that the alias domains need, as lines of a zone file with explanations; lists the copies of messages that wait to be sent, shows what is known of one, makes it due now, or gives it up. A server may be using the spool",
  flags: ["json"],
  run: actions({ key: createKey, records: printRecords, queue }),
};
