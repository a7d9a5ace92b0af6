import { join } from "node:path";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import type { LoggedMessage } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Aliases, addAliases, type Counts, countsOf, end, logOf, switchOff } from "./mail-aliases.ts";

/** Makes a store on SQLite with these aliases on `alias.example.com`, some of them switched `off`, for servers that run as processes. */
export const newMailStore = async (directory: string, aliases: Aliases, off: readonly string[] = []) => {
  const path = join(directory, "postern.db");
  const store = valueOf(sqliteStore({ path, clock: Date }));
  await addAliases(store, "alias.example.com", aliases);
  for (const email of off) await switchOff(store, email);
  store.close();
  const beside = async <T>(read: (store: SqliteStore) => Promise<T>): Promise<T> => {
    const opened = valueOf(sqliteStore({ path, clock: Date, alongside: true }));
    try {
      return await read(opened);
    } finally {
      opened.close();
    }
  };
  return {
    path,
    variables: {
      POSTERN_STORE: "sqlite",
      POSTERN_SQLITE_PATH: path,
      POSTERN_ALIAS_DOMAINS: "alias.example.com",
    },
    /** What has been counted for an alias so far. A server may be running. */
    counts: (email: string): Promise<Counts> => beside((store) => countsOf(store, email)),
    /** Lets an alias end, at a time that has passed. A server may be running. */
    end: (email: string): Promise<void> => beside((store) => end(store, email)),
    /** What is logged for an alias, newest first. A server may be running. */
    log: (email: string): Promise<readonly LoggedMessage[]> => beside((store) => logOf(store, email)),
  };
};
