import { resolve } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import { systemClock } from "@postern/node";
import type { OpenStore } from "./open-store.ts";

export const openSqlite: OpenStore = async ({ sqlitePath: path }, logger, creation) => {
  const opened = sqliteStore({
    path,
    clock: systemClock,
    create: creation === "create",
    alongside: creation === "alongside",
  });
  // With a wrong path, for example after a restore, the service would seem to have lost everything.
  if (opened.isOk() && opened.value.created) logger.warn({ path }, `created a new, empty store at ${path}`);
  return opened
    .map((store) => ({ ...store, location: { kind: "sqlite", path: resolve(path) } as const }))
    .mapErr(({ message }) => ({ code: "cannot_open_store", message }));
};
