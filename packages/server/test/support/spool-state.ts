import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { expect } from "vitest";

/** What is in the spool in this directory: how many copies wait, and how many outcomes are not counted yet. A server may be running. */
export const spoolState = (spool: string): { readonly queued: number; readonly uncounted: number } => {
  using db = new DatabaseSync(join(spool, "spool.db"), { readOnly: true });
  const count = (query: string): number => Number(Object.values(db.prepare(query).get() ?? {})[0]);
  return {
    queued: count("SELECT count(*) FROM copies WHERE state = 'queued'"),
    uncounted: count("SELECT count(*) FROM outcomes WHERE told = 0"),
  };
};

/** How many messages in the spool in this directory are still to be logged. A server may be running. */
export const unloggedMessages = (spool: string): number => {
  using db = new DatabaseSync(join(spool, "spool.db"), { readOnly: true });
  return Number(db.prepare("SELECT count(*) AS n FROM log WHERE place IS NOT NULL").get()?.["n"]);
};

/** The state of each copy in the spool, by its id. */
export const copyStates = (spool: string): ReadonlyMap<string, string> => {
  using db = new DatabaseSync(join(spool, "spool.db"), { readOnly: true });
  const rows = db.prepare("SELECT id, state FROM copies").all();
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
};

/** Makes all queued copies due now, as `mail queue retry` does with one. A server may be running. */
export const retryAll = async (spool: string): Promise<void> => {
  const opened = valueOf(await sqliteSpool({ path: spool, limit: 0, alongside: true }));
  const { items } = valueOf(await opened.list({ limit: 1_000, after: null }));
  for (const { id } of items) expect(valueOf(await opened.retry(id, Date.now()))).toBe("queued");
  await opened.close();
};

/** Makes all messages and copies older than they are. No server may be running. */
export const makeOlder = (spool: string, milliseconds: number): void => {
  using db = new DatabaseSync(join(spool, "spool.db"));
  db.prepare(
    "UPDATE messages SET facts = json_set(facts, '$.createdAt', json_extract(facts, '$.createdAt') - ?)",
  ).run(milliseconds);
  db.prepare("UPDATE copies SET since = since - ?").run(milliseconds);
};
