import { sqliteStore } from "@postern/adapter-sqlite";
import type { OpenStore } from "./open-store.ts";

export const openSqlite: OpenStore = async ({ sqlitePath: path }, clock) =>
  sqliteStore({ path, clock }).mapErr(({ message }) => ({ code: "cannot_open_store", message }));
