import { type Conflict, err, ok } from "@postern/core";
import { pageOf, type Recipients } from "@postern/core/store";
import { assignments, namesOf, placeholders, valuesOf } from "./columns.ts";
import type { Database, Refusal } from "./database.ts";
import { RECIPIENT, recipientColumns, recipientOf, settingColumns } from "./recipient-row.ts";
import type { Row } from "./row.ts";
import { query, statement } from "./statement.ts";

const FIND = statement(
  "find_recipients",
  `SELECT ${RECIPIENT} AS recipient FROM recipients AS r WHERE account = $1 AND id = ANY ($2)`,
);

const listing = (condition: string) =>
  `SELECT ${RECIPIENT} AS recipient FROM recipients AS r WHERE account = $1 ${condition} ORDER BY id DESC LIMIT $2`;
const LIST = statement("list_recipients", listing(""));
const LIST_AFTER = statement("list_recipients_after", listing("AND id < $3"));

const names = namesOf(recipientColumns);
const LIMIT = `$${names.length + 1}`;
const UNVERIFIED_LIMIT = `$${names.length + 2}`;
const VERIFIED = `$${names.length + 3}`;

/** Like the creation of an alias: a trigger counts the recipient. */
const CREATE = statement(
  "create_recipient",
  `WITH place AS (
    INSERT INTO account_usage AS u (account) VALUES ($1)
    ON CONFLICT (account) DO UPDATE SET account = u.account
    WHERE (${LIMIT}::bigint = 0 OR u.recipients < ${LIMIT})
      AND (${VERIFIED}::boolean OR ${UNVERIFIED_LIMIT}::bigint = 0 OR u.unverified_recipients < ${UNVERIFIED_LIMIT})
    RETURNING account
  ), created AS (
    INSERT INTO recipients (${names.join(", ")}) SELECT ${placeholders(names.length).join(", ")} FROM place
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM created) AS created, u.recipients, u.unverified_recipients AS unverified
  FROM (SELECT) AS one LEFT JOIN account_usage AS u ON u.account = $1`,
);

/** The row of the account's usage is locked first, as in a creation: otherwise the two could wait for each other. */
const HELD = `WITH held AS MATERIALIZED (SELECT account FROM account_usage WHERE account = $1 FOR NO KEY UPDATE)`;

const SAVE = statement(
  "save_recipient",
  `${HELD} UPDATE recipients AS r SET ${assignments(namesOf(settingColumns), 4)} FROM held
  WHERE r.account = held.account AND id = $2 AND version = $3 RETURNING 1`,
);

const REMOVE = statement(
  "remove_recipient",
  `${HELD} DELETE FROM recipients AS r USING held
  WHERE r.account = held.account AND id = $2 AND version = $3 AND attached = 0 RETURNING 1`,
);

const CONFLICT: Conflict = { code: "conflict" };

const creationRefusal = ({ violated }: Refusal) => {
  if (violated === "recipients_address") return { code: "address_taken" } as const;
  return violated === null || violated === "recipients_pkey" ? CONFLICT : null;
};

/** It is attached to an alias, or a concurrent transaction was in the way. */
const changeRefusal = ({ violated }: Refusal) =>
  violated === null || violated.startsWith("attached_recipient_") ? CONFLICT : null;

const allOf = (rows: readonly Row[]) => rows.map(({ recipient }) => recipientOf(recipient));

export const postgresRecipients = ({ run }: Database): Recipients => ({
  find: (account, id, timeLeft) =>
    run(timeLeft, query(FIND, account, [id]), (rows) => ok(allOf(rows)[0] ?? null)),

  findAll: (account, ids, timeLeft) => run(timeLeft, query(FIND, account, ids), (rows) => ok(allOf(rows))),

  list: (account, { limit, after }, timeLeft) =>
    run(
      timeLeft,
      after === null ? query(LIST, account, limit + 1) : query(LIST_AFTER, account, limit + 1, after),
      (rows) => ok(pageOf(allOf(rows), limit, ({ id }) => id)),
    ),

  create: (recipient, { recipients: limit, unverifiedRecipients: unverifiedLimit }, timeLeft) => {
    const verified = recipient.verifiedAt !== null;
    const full = (stored: unknown, most: number) => most > 0 && Number(stored) >= most;
    return run(
      timeLeft,
      query(CREATE, ...valuesOf(recipientColumns, recipient), limit, unverifiedLimit, verified),
      ([row]) => {
        if (row?.["created"] === true) return ok();
        if (full(row?.["recipients"], limit)) return err({ code: "too_many_recipients", limit } as const);
        if (!verified && full(row?.["unverified"], unverifiedLimit)) {
          return err({ code: "too_many_unverified_recipients", limit: unverifiedLimit } as const);
        }
        // The last place was free when the statement began, and was taken while it waited.
        return err(CONFLICT);
      },
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

  remove: ({ account, id, version }, timeLeft) =>
    run(
      timeLeft,
      query(REMOVE, account, id, version),
      ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
      changeRefusal,
    ),
});
