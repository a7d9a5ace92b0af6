import { backup } from "./backup.ts";
import type { Command } from "./command.ts";
import { exporting } from "./export.ts";
import { importing } from "./import.ts";
import { table } from "./table.ts";

/** Every command, by the first word of its usage. */
export const commands: Readonly<Record<string, Command>> = {
  backup,
  export: exporting,
  import: importing,
  table,
};
