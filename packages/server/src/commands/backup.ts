import { backupSqlite } from "@postern/adapter-sqlite";
import type { Command } from "./command.ts";

export const backupCommand: Command = {
  usage: "backup FILE",
  meaning: "copies the SQLite store to a new file; a server may be using the store",
  run: async ({ sqlitePath: path }, [to, ...more]) => {
    if (to === undefined || more.length > 0) return null;
    const done = await backupSqlite({ path, to });
    return done.map(() => `Backed up ${path} to ${to}.`).mapErr(({ message }) => `${message}.`);
  },
};
