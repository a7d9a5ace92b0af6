import { accountCommand } from "./account.ts";
import { aliasCommand } from "./alias.ts";
import { backupCommand } from "./backup.ts";
import type { Command, Diagnosis } from "./command.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { mailCommand } from "./mail.ts";
import { mailboxCommand } from "./mailbox.ts";
import { recipientCommand } from "./recipient.ts";
import { storeCommand } from "./store.ts";
import { tableCommand } from "./table.ts";

/** Every command by the first word of its usage. */
export const commands: Readonly<Record<string, Command | Diagnosis>> = {
  account: accountCommand,
  alias: aliasCommand,
  backup: backupCommand,
  doctor: doctorCommand,
  export: exportCommand,
  import: importCommand,
  mail: mailCommand,
  mailbox: mailboxCommand,
  recipient: recipientCommand,
  store: storeCommand,
  table: tableCommand,
};
