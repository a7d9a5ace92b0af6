import { resolve } from "node:path";
import { err } from "@postern/core";
import { ENV } from "../configuration/names.ts";
import type { Command } from "./command.ts";

const INSTEAD = {
  dynamodb: "Use DynamoDB's point-in-time recovery (see docs/dynamodb.md), or `export`.",
  postgres: "Use pg_dump or your provider's backups (see docs/postgres.md), or `export`.",
  memory: "The memory store does not outlive a process: there is nothing to copy.",
} as const;

export const backup: Command["run"] = async ({ store, sqlitePath }, [file = ""]) => {
  if (store !== "sqlite")
    return err(`\`backup\` copies a SQLite store, and ${ENV.store} is ${store}. ${INSTEAD[store]}`);
  const [path, to] = [resolve(sqlitePath), resolve(file)];
  const { backupSqlite } = await import("@postern/adapter-sqlite");
  const done = await backupSqlite({ path, to });
  return done.map(() => `Backed up ${path} to ${to}.`).mapErr(({ message }) => `${message}.`);
};
