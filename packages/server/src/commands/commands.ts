import { backupCommand } from "./backup.ts";
import type { Command } from "./command.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { tableCommand } from "./table.ts";

/** Every command by the first word of its usage. */
export const commands: Readonly<Record<string, Command>> = {
  backup: backupCommand,
  export: exportCommand,
  import: importCommand,
  table: tableCommand,
};
