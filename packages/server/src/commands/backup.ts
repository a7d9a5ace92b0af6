import { backupSqlite } from "@postern/adapter-sqlite";
import type { Command } from "./command.ts";

export const backup: Command = {
  usage: "backup FILE",
  meaning: "copies the sqlite store to a new file, while a server uses it or not",
  run: async ({ sqlitePath: path }, [to, ...more]) => {
    if (to === undefined || more.length > 0) return null;
    const done = await backupSqlite({ path, to });
    return done.map(() => `${path} is backed up to ${to}.`).mapErr(({ message }) => `${message}.`);
  },
};
