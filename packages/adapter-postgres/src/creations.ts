import { type AlreadyCreated, ok } from "@postern/core";
import { CREATION_RETENTION, type Creation, type Creations, parseCreation } from "@postern/core/store";
import { type Columns, fieldsOf, namesOf, placeholders, valuesOf } from "./columns.ts";
import type { Database, Refusal } from "./database.ts";
import { stored } from "./row.ts";
import { query, statement } from "./statement.ts";

const columns = {
  account: ["account", (creation) => creation.account],
  key: ["key", (creation) => creation.key],
  fingerprint: ["fingerprint", (creation) => creation.fingerprint],
  kind: ["kind", (creation) => creation.kind],
  id: ["id", (creation) => creation.id],
  at: ["at", (creation) => creation.at],
  expiresAt: ["expires_at", (creation) => creation.expiresAt],
} satisfies Columns<Creation, keyof Creation>;

const names = namesOf(columns);

/** The number of values that `addingCreation` needs. */
const VALUES = names.length + 1;

/** The values of `addingCreation`. */
export const creationValues = (creation: Creation): readonly unknown[] => [
  ...valuesOf(columns, creation),
  creation.at - CREATION_RETENTION,
];

/**
 * Adds a creation if `created`, which comes before it, has a row: a part of the statement that creates. `first` is the number of the
 * first of the `creationValues`. A trigger refuses to replace one that is not over yet. Also forgets up to 3 others that are over, which is
 * more than it adds, so they cannot pile up.
 */
export const addingCreation = (first: number): string => {
  const [account, key] = placeholders(VALUES, first);
  return `added AS (
    INSERT INTO creations (${names.join(", ")}) SELECT ${placeholders(names.length, first).join(", ")} FROM created
    ON CONFLICT (account, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, kind = excluded.kind, id = excluded.id, at = excluded.at,
      expires_at = excluded.expires_at
  ), forgotten AS (
    DELETE FROM creations WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM creations WHERE at <= $${first + names.length} AND (account, key) <> (${account}, ${key})
      ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )`;
};

const ALREADY_CREATED: AlreadyCreated = { code: "already_created" };

/** Why `addingCreation` was refused; null if something else was. */
export const repeatRefusal = ({ violated }: Refusal): AlreadyCreated | null =>
  violated === "creation_stays" ? ALREADY_CREATED : null;

const FIND = statement(
  "find_creation",
  `SELECT json_build_object(${fieldsOf(columns, "c")}) AS creation FROM creations AS c WHERE account = $1 AND key = $2`,
);

const FORGET = statement(
  "forget_creations",
  `DELETE FROM creations WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM creations WHERE account = $1 LIMIT $2 FOR UPDATE)) RETURNING 1`,
);

export const postgresCreations = ({ run }: Database): Creations => ({
  find: (account, key, timeLeft) =>
    run(timeLeft, query(FIND, account, key), ([row]) =>
      ok(row === undefined ? null : stored("creations", parseCreation, row["creation"])),
    ),

  forget: (account, limit, timeLeft) =>
    run(timeLeft, query(FORGET, account, limit), ({ length }) => ok(length)),
});
