import {
  type AddressTaken,
  type Clock,
  type Conflict,
  EmailAddress,
  err,
  MAIL_OUTCOMES,
  ok,
} from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { listAliases } from "./alias-list.ts";
import { ALIAS, ALIAS_STATE, aliasColumns, aliasOf, settingColumns, stateOf } from "./alias-row.ts";
import { assignments, namesOf, placeholders, valuesOf } from "./columns.ts";
import { addingCreation, creationValues, repeatRefusal } from "./creations.ts";
import type { Database, Refusal } from "./database.ts";
import { recordOutcome } from "./outcomes.ts";
import { RECIPIENT, recipientOf } from "./recipient-row.ts";
import { isRetired, listRetiredAddresses, retireAddress } from "./retired-addresses.ts";
import { query, statement } from "./statement.ts";

const FIND_WITH_RECIPIENTS = statement(
  "find_with_recipients",
  `SELECT
    (SELECT ${ALIAS} FROM aliases AS a WHERE a.account = $1 AND a.id = $2) AS alias,
    (SELECT json_agg(${RECIPIENT}) FROM recipients AS r WHERE r.account = $1 AND r.id = ANY ($3)) AS recipients`,
);

const FIND_BY_EMAIL = statement(
  "find_by_email",
  `SELECT ${ALIAS_STATE} AS alias FROM addresses AS d JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id
  WHERE d.key = $1`,
);

const names = namesOf(aliasColumns);

/**
 * A trigger counts the alias, takes its address and attaches its recipients; see the migrations. The row of the account's usage
 * is locked before its limit is compared, so another creation waits, and then compares with what this one has counted.
 */
const creating = (...others: readonly string[]): string => `WITH place AS (
    INSERT INTO account_usage AS u (account) VALUES ($1)
    ON CONFLICT (account) DO UPDATE SET account = u.account
    WHERE $${names.length + 1}::bigint = 0 OR u.aliases < $${names.length + 1}
    RETURNING account
  ), created AS (
    INSERT INTO aliases (${names.join(", ")}) SELECT ${placeholders(names.length).join(", ")} FROM place
    RETURNING account, id
  ), counted AS (
    INSERT INTO tallies (account, alias_id, outcome, count, last_at)
    SELECT created.account, created.id, t.outcome, t.count, t."lastAt"
    FROM created, jsonb_to_recordset($${names.length + 2}) AS t (outcome text, count bigint, "lastAt" bigint)
  )${others.map((other) => `, ${other}`).join("")}
  SELECT FROM created`;

const CREATE = statement("create_alias", creating());
const CREATE_ONCE = statement("create_alias_once", creating(addingCreation(names.length + 3)));

/** A trigger attaches and detaches recipients. */
const SAVE = statement(
  "save_alias",
  `UPDATE aliases SET ${assignments(namesOf(settingColumns), 4)}
  WHERE account = $1 AND id = $2 AND version = $3 RETURNING 1`,
);

/** How many event ids are deleted with their alias; the others are deleted when they are 35 days old. */
const MAX_EVENTS_ERASED = 10_000;

/**
 * A trigger retires the address and detaches the recipients. The row of the account's usage is locked first, as in a creation:
 * otherwise the two could wait for each other.
 */
const ERASE = statement(
  "erase_alias",
  `WITH held AS MATERIALIZED (
    SELECT account FROM account_usage WHERE account = $1 FOR NO KEY UPDATE
  ), erased AS (
    DELETE FROM aliases AS a USING held
    WHERE a.account = held.account AND a.id = $2 AND a.version = $3 RETURNING 1
  ), forgotten AS (
    DELETE FROM events WHERE EXISTS (SELECT FROM erased) AND ctid = ANY (ARRAY(
      SELECT ctid FROM events WHERE account = $1 AND alias_id = $2 LIMIT ${MAX_EVENTS_ERASED}))
  )
  SELECT FROM erased`,
);

const CONFLICT: Conflict = { code: "conflict" };

const CREATION_REFUSALS: Readonly<Record<string, AddressTaken | Conflict>> = {
  addresses_pkey: { code: "address_taken" },
  aliases_pkey: CONFLICT,
  attached_recipient_exists: CONFLICT,
  attached_recipient_is_eligible: CONFLICT,
};

const creationRefusal = (refusal: Refusal) =>
  refusal.violated === null ? CONFLICT : (CREATION_REFUSALS[refusal.violated] ?? repeatRefusal(refusal));

/** Why a change of an existing alias is refused: one of its recipients, or a concurrent transaction. */
const changeRefusal = ({ violated }: Refusal) =>
  violated === null || violated.startsWith("attached_recipient_") ? CONFLICT : null;

export const postgresAliases = (database: Database, clock: Pick<Clock, "now">): Aliases => {
  const { run } = database;
  return {
    findWithRecipients: (account, id, recipients, timeLeft) =>
      run(timeLeft, query(FIND_WITH_RECIPIENTS, account, id, recipients), ([row]) => {
        const { alias, recipients: found } = row ?? {};
        return ok({
          alias: alias === null ? null : aliasOf(alias),
          recipients: Array.isArray(found) ? found.map(recipientOf) : [],
        });
      }),

    findByEmail: (email, timeLeft) =>
      run(timeLeft, query(FIND_BY_EMAIL, EmailAddress.key(email)), ([row]) =>
        ok(row === undefined ? null : stateOf(row["alias"])),
      ),

    list: (account, page, filter, timeLeft) => listAliases(database, account, page, filter, timeLeft),

    create: (alias, { aliases: limit }, creation, timeLeft) => {
      const tallies = MAIL_OUTCOMES.map((outcome) => ({ outcome, ...alias.tallies[outcome] }));
      const counted = JSON.stringify(tallies.filter(({ count }) => count > 0));
      const values = [...valuesOf(aliasColumns, alias), limit, counted];
      return run(
        timeLeft,
        creation === undefined
          ? query(CREATE, ...values)
          : query(CREATE_ONCE, ...values, ...creationValues(creation)),
        ({ length }) => (length > 0 ? ok() : err({ code: "too_many_aliases", limit } as const)),
        creationRefusal,
      );
    },

    save: ({ account, id, version }, after, timeLeft) =>
      run(
        timeLeft,
        query(SAVE, account, id, version, ...valuesOf(settingColumns, after)),
        ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
        changeRefusal,
      ),

    recordOutcome: (alias, event, timeLeft) => recordOutcome(database, clock, alias, event, timeLeft),

    erase: ({ account, id, version }, timeLeft) =>
      run(
        timeLeft,
        query(ERASE, account, id, version),
        ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
        changeRefusal,
      ),

    retireAddress: (email) => retireAddress(database, email),

    isRetired: (email, timeLeft) => isRetired(database, email, timeLeft),

    listRetiredAddresses: (page) => listRetiredAddresses(database, page),
  };
};
