import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { aliasesOf, CREATED_AT, type Fixture, recipientsOf } from "./fixture.ts";

/**
 * Makes a file of Postern's store on SQLite, with a fixture in it. The rows are written in one transaction: through the
 * store, each would take one of its own, and a million of those take minutes.
 */
export const fillSqlite = (path: string, fixture: Fixture): void => {
  valueOf(sqliteStore({ path, clock: Date })).close();
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; BEGIN");
  const recipient = db.prepare(
    `INSERT INTO recipients (account, id, email, verified_at, active, nonce, created_at, updated_at, version)
     VALUES (?, ?, ?, ?, 1, 'nonce', ?, ?, 1)`,
  );
  for (const { account, id, email, verified } of recipientsOf(fixture)) {
    recipient.run(account, id, email, verified ? CREATED_AT : null, CREATED_AT, CREATED_AT);
  }
  const alias = db.prepare(
    `INSERT INTO aliases (account, id, email, description, active, created_at, updated_at, version)
     VALUES (?, ?, ?, ?, 1, ?, ?, 1)`,
  );
  const destination = db.prepare(
    "INSERT INTO destinations (account, alias_id, position, recipient_id) VALUES (?, ?, ?, ?)",
  );
  for (const { account, id, email, description, recipients } of aliasesOf(fixture)) {
    alias.run(account, id, email, description, CREATED_AT, CREATED_AT);
    for (const [position, each] of recipients.entries()) destination.run(account, id, position, each.id);
  }
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
};
