import { type Alias, type Aliases, type Clock, MAIL_OUTCOMES } from "@postern/core";
import { err, ok } from "neverthrow";
import { listAliases } from "./alias-list.ts";
import type { Database } from "./database.ts";
import { recordOutcome } from "./outcomes.ts";
import { findRecipients } from "./recipients.ts";
import { ALIAS, aliasOf } from "./rows.ts";

/** What saving sets. All else never changes. */
const settingsOf = (alias: Alias) => ({
  account: alias.account,
  id: alias.id,
  description: alias.description,
  active: Number(alias.active),
  remembered: alias.deletedAt === null ? null : JSON.stringify(alias.destinations),
  updatedAt: alias.updatedAt,
  deletedAt: alias.deletedAt,
  version: alias.version,
});

export const sqliteAliases = (database: Database, clock: Pick<Clock, "now">): Aliases => {
  const { sql, attempt, transact } = database;

  /** False when some destination is not verified and active; the transaction has to be undone then. */
  const attach = ({ account, id, destinations, deletedAt }: Alias): boolean => {
    if (deletedAt !== null) return true;
    const insert = sql(`
      INSERT INTO destinations (account, alias_id, position, recipient_id)
      SELECT account, :alias, :position, id FROM recipients
      WHERE account = :account AND id = :recipient AND verified_at IS NOT NULL AND active = 1`);
    return destinations.every(
      ({ recipientId }, position) =>
        insert.run({ account, alias: id, position, recipient: recipientId }).changes === 1,
    );
  };

  return {
    findWithRecipients: async (account, id, recipients) =>
      attempt(() => {
        const found = sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`).get(account, id);
        return ok({
          alias: found === undefined ? null : aliasOf(found),
          recipients: findRecipients(database, account, recipients),
        });
      }),

    list: (account, page, filter) => listAliases(database, account, page, filter),

    create: async (alias) =>
      transact(() => {
        const { account, id, email, createdAt } = alias;
        const { changes } = sql(`
          INSERT INTO aliases
            (account, id, email, description, active, remembered, created_at, updated_at, deleted_at, version)
          VALUES
            (:account, :id, :email, :description, :active, :remembered, :createdAt, :updatedAt, :deletedAt, :version)
          ON CONFLICT DO NOTHING`).run({ ...settingsOf(alias), email, createdAt });
        if (changes === 0) {
          const twin = sql("SELECT 1 FROM aliases WHERE account = ? AND id = ?").get(account, id);
          return err({ code: twin === undefined ? "address_taken" : "conflict" });
        }
        for (const outcome of MAIL_OUTCOMES) {
          const { count, lastAt } = alias.tallies[outcome];
          if (count > 0)
            sql("INSERT INTO tallies VALUES (?, ?, ?, ?, ?)").run(account, id, outcome, count, lastAt);
        }
        return attach(alias) ? ok() : err({ code: "conflict" });
      }),

    save: async (before, after) =>
      transact(() => {
        const { account, id } = before;
        const { changes } = sql(`
          UPDATE aliases SET description = :description, active = :active, remembered = :remembered,
            updated_at = :updatedAt, deleted_at = :deletedAt, version = :version
          WHERE account = :account AND id = :id AND version = :stored`).run({
          ...settingsOf({ ...after, account, id }),
          stored: before.version,
        });
        if (changes === 0) return err({ code: "conflict" });
        // Whoever is kept is taken out and put in again, within the transaction: the rows are exactly the list.
        sql("DELETE FROM destinations WHERE account = ? AND alias_id = ?").run(account, id);
        return attach({ ...after, account, id }) ? ok() : err({ code: "conflict" });
      }),

    recordOutcome: async (alias, event) => recordOutcome(database, clock, alias, event),
  };
};
