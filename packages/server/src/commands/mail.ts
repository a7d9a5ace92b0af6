import { ENV } from "../configuration/names.ts";
import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { createKey } from "./mail/key.ts";
import { queue } from "./mail/queue.ts";
import { printRecords } from "./mail/records.ts";

export const mailCommand: Command = {
  usages: [
    {
      line: "mail key",
      meaning: `creates the key that signs forwarded mail, in the new file ${ENV.dkimKey}, and prints the DNS records to publish for it. Never overwrites a file`,
    },
    {
      line: "mail records [--json]",
      meaning:
        "prints every DNS record that the alias domains need, as lines of a zone file with explanations",
    },
    {
      line: "mail queue list [--json]",
      meaning:
        "lists the copies of messages that are waiting to be sent. Like all queue commands, it is safe while a server is using the spool",
    },
    {
      line: "mail queue show [--json] COPY",
      meaning: "shows what is known about a copy, even when it is no longer waiting",
    },
    {
      line: "mail queue retry COPY",
      meaning: "retries a copy now",
    },
    {
      line: "mail queue drop COPY",
      meaning: "drops a copy: it is not sent, nothing is counted, and nobody is notified",
    },
  ],
  flags: ["json"],
  run: actions({ key: createKey, records: printRecords, queue }),
};
