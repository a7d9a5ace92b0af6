import { resolve } from "node:path";
import { type OpenError, sqliteStore } from "@postern/adapter-sqlite";
import { systemClock } from "@postern/node";
import { ENV } from "../configuration/names.ts";
import type { OpenStore } from "./open-store.ts";

export const openSqlite: OpenStore = async ({ sqlitePath }, logger, creation) => {
  // A relative path depends on where the program was started, which a message must not leave unclear.
  const path = resolve(sqlitePath);
  const opened = sqliteStore({
    path,
    clock: systemClock,
    create: creation === "create",
    alongside: creation === "alongside",
  });
  // With a wrong path, for example after a restore, the service would seem to have lost everything.
  if (opened.isOk() && opened.value.created) logger.warn({ path }, `created a new, empty store at ${path}`);
  return opened
    .map((store) => ({
      ...store,
      location: { kind: "sqlite", path } as const,
      extent: async () =>
        (await store.countRecords()).map((count) => ({ counted: "records", count }) as const),
    }))
    .mapErr(({ code, message }) => ({ code: "cannot_open_store", message: `${message}${REMEDIES[code]}` }));
};

/** What to do if the message does not say so. */
const REMEDIES = {
  in_use: ". Stop the server or program that has it open",
  missing: `. Set ${ENV.sqlitePath} to the file of the server`,
  not_a_store: `. Set ${ENV.sqlitePath} to the file of the server`,
  newer_version: "",
  older_version: "",
  cannot_open: "",
} as const satisfies Record<OpenError["code"], string>;
