import {
  type AccountLimits,
  type AddressTaken,
  type Alias,
  type AlreadyCreated,
  type Clock,
  type Conflict,
  err,
  MAIL_OUTCOMES,
  ok,
  type Result,
  type TooManyAliases,
} from "@postern/core";
import type { Aliases, Creation } from "@postern/core/store";
import { listAliases } from "./alias-list.ts";
import { ALIAS, ALIAS_STATE, aliasOf, aliasTable, stateOf } from "./alias-table.ts";
import { addCreation } from "./creations.ts";
import type { Database } from "./database.ts";
import { exceeds } from "./limits.ts";
import { recordOutcome } from "./outcomes.ts";
import { findRecipients } from "./recipients.ts";
import { isRetired, listRetiredAddresses, retireAddress } from "./retired-addresses.ts";
import { indexWords } from "./search-words.ts";

/** The tables whose rows each belong to one alias. */
const OF_ONE_ALIAS = ["destinations", "tallies", "events", "contacts", "logged_messages", "resends"] as const;

/**
 * Most saves change none of the indexed columns of `aliases`. A statement that sets them would rewrite the indexes anyway,
 * which costs a page of the file for each.
 */
const SAVE_UNINDEXED = aliasTable.updateExcept(["active", "deleted_at"]);

/** False if a destination is not verified and active; the transaction must then be rolled back. */
const attach = ({ sql }: Database, { account, id, destinations, deletedAt }: Alias): boolean => {
  if (deletedAt !== null) return true;
  // One statement for all: one for each takes half as long again.
  const { changes } = sql(`
    INSERT INTO destinations (account, alias_id, position, recipient_id)
    SELECT r.account, :alias, wanted.key, r.id FROM json_each(:recipients) AS wanted
    CROSS JOIN recipients AS r ON r.account = :account AND r.id = wanted.value
    WHERE r.verified_at IS NOT NULL AND r.active = 1`).run({
    account,
    alias: id,
    recipients: JSON.stringify(destinations.map(({ recipientId }) => recipientId)),
  });
  return changes === destinations.length;
};

/** To be called in a transaction, which must be undone if this is refused. */
export const createAlias = (
  database: Database,
  alias: Alias,
  limits: Pick<AccountLimits, "aliases">,
  creation?: Creation,
): Result<void, AddressTaken | AlreadyCreated | Conflict | TooManyAliases> => {
  if (!addCreation(database, creation)) return err({ code: "already_created" });
  const { sql } = database;
  const { account, id, email } = alias;
  const insert = sql(aliasTable.insert);
  if (isRetired(database, email) || insert.run(aliasTable.inserted(alias)).changes === 0) {
    const idInUse = sql("SELECT 1 FROM aliases WHERE account = ? AND id = ?").get(account, id);
    return err({ code: idInUse === undefined ? "address_taken" : "conflict" });
  }
  if (exceeds(database, account, "aliases", limits.aliases)) {
    return err({ code: "too_many_aliases", limit: limits.aliases });
  }
  indexWords(database, alias);
  for (const outcome of MAIL_OUTCOMES) {
    const { count, lastAt } = alias.tallies[outcome];
    if (count > 0) sql("INSERT INTO tallies VALUES (?, ?, ?, ?, ?)").run(account, id, outcome, count, lastAt);
  }
  return attach(database, alias) ? ok() : err({ code: "conflict" });
};

export const sqliteAliases = (database: Database, clock: Pick<Clock, "now">): Aliases => {
  const { sql, attempt, transact, erase } = database;

  return {
    findWithRecipients: (account, id, recipients, timeLeft) =>
      attempt(account, timeLeft, () => {
        const found = sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`).get(account, id);
        return ok({
          alias: found === undefined ? null : aliasOf(found),
          recipients: findRecipients(database, account, recipients),
        });
      }),

    findByEmail: (email, timeLeft) =>
      attempt(null, timeLeft, () => {
        const found = sql(`SELECT ${ALIAS_STATE} FROM aliases AS a WHERE email = ?`).get(email);
        return ok(found === undefined ? null : stateOf(found));
      }),

    list: (account, page, filter, timeLeft) => listAliases(database, account, page, filter, timeLeft),

    create: (alias, limits, creation, timeLeft) =>
      transact(alias.account, timeLeft, () => createAlias(database, alias, limits, creation)),

    save: (before, after, timeLeft) =>
      transact(before.account, timeLeft, () => {
        const { account, id } = before;
        const values = aliasTable.updated(before, after);
        const isSaved = [SAVE_UNINDEXED, aliasTable.update].some(
          (update) => sql(update).run(values).changes > 0,
        );
        if (!isSaved) return err({ code: "conflict" });
        indexWords(database, before);
        // Even recipients that stay attached are detached and reattached, so that the rows match the list exactly.
        sql("DELETE FROM destinations WHERE account = ? AND alias_id = ?").run(account, id);
        return attach(database, { ...after, account, id }) ? ok() : err({ code: "conflict" });
      }),

    recordOutcome: (alias, event, timeLeft) => recordOutcome(database, clock, alias, event, timeLeft),

    erase: ({ account, id, version }, timeLeft) =>
      erase(account, timeLeft, () => {
        for (const name of OF_ONE_ALIAS)
          sql(`DELETE FROM ${name} WHERE account = ? AND alias_id = ?`).run(account, id);
        // A trigger retires the address.
        const { changes } = sql("DELETE FROM aliases WHERE account = ? AND id = ? AND version = ?").run(
          account,
          id,
          version,
        );
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    retireAddress: (email) => transact(null, undefined, () => retireAddress(database, email)),

    isRetired: (email, timeLeft) => attempt(null, timeLeft, () => ok(isRetired(database, email))),

    listRetiredAddresses: (page) => listRetiredAddresses(database, page),
  };
};
