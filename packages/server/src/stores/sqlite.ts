import { sqliteStore } from "@postern/adapter-sqlite";
import { systemClock } from "@postern/node";
import type { OpenStore } from "./open-store.ts";

export const openSqlite: OpenStore = async ({ sqlitePath: path }) =>
  sqliteStore({ path, clock: systemClock }).mapErr(({ message }) => ({ code: "cannot_open_store", message }));
