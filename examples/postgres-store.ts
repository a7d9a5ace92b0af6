import * as core from "@postern/core";
import { Alias, AliasFilter, EmailAddress, err, ok } from "@postern/core";
import {
  type DatabaseOptions,
  type Parse,
  parsed,
  type Statement,
  sql,
  statementRunner,
} from "./postgres-database.ts";

/** What `save` writes: everything except what never changes and what the store counts. */
const aliasSettings = ({ id, account, email, createdAt, tallies, ...settings }: Alias) =>
  JSON.stringify(settings satisfies core.AliasSettings);
const recipientSettings = ({ id, account, email, createdAt, attached, ...settings }: core.Recipient) =>
  JSON.stringify(settings satisfies core.RecipientSettings);

const CONFLICT = { code: "conflict" } as const;
const ADDRESS_TAKEN = { code: "address_taken" } as const;

/** How many aliases a call examines for matches of a filter. */
const BATCH = 200;

/** A page of `found`, which has one item more than `limit` unless this is the last page. */
const pageOf = <T, Id>(found: readonly T[], limit: number, idOf: (item: T) => Id): core.Page<T, Id> => {
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { items: found.slice(0, limit), next: last === undefined ? null : idOf(last) };
};

/** The store in a database with the tables of postgres-schema.sql, for any number of processes. */
export const postgresStore = (options: DatabaseOptions): core.Store => {
  const run = statementRunner(options);

  const find = <T, R>(statement: Statement, parse: Parse<T>, use: (found: readonly T[]) => R) =>
    run(statement, (rows) => ok(use(rows.map((row) => parsed(parse, row)))));

  /** Runs a statement that returns a row if it changed anything; otherwise the result is `unmet`. */
  const write = <E = core.Conflict>(statement: Statement, unmet: E | core.Conflict = CONFLICT) =>
    run<void, E | core.Conflict>(statement, ({ length }) => (length > 0 ? ok() : err(unmet)), CONFLICT);

  const recipientsOf = (account: string, ids: readonly string[]) =>
    sql`SELECT data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids}::text[])`;

  return {
    aliases: {
      findWithRecipients: (account, id, ids) =>
        run(
          sql`SELECT true AS is_alias, data FROM aliases WHERE account = ${account} AND id = ${id} UNION ALL
              SELECT false, data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids}::text[])`,
          (rows) => {
            const alias = rows.find((row) => row["is_alias"] === true);
            const recipients = rows.filter((row) => row !== alias);
            return ok({
              alias: alias === undefined ? null : parsed(core.parseAlias, alias),
              recipients: recipients.map((row) => parsed(core.parseRecipient, row)),
            });
          },
        ),

      findByEmail: (email) =>
        find(
          sql`SELECT data FROM aliases WHERE (account, id) =
                (SELECT account, alias_id FROM addresses WHERE key = ${EmailAddress.key(email)})`,
          core.parseAlias,
          ([alias = null]) => alias,
        ),

      list: (account, { limit, after }, filter) =>
        find(
          sql`SELECT data FROM aliases WHERE account = ${account} AND (${after}::text IS NULL OR id < ${after})
              ORDER BY id DESC LIMIT ${BATCH}`,
          core.parseAlias,
          (found) => {
            const matching = found.filter((alias) => AliasFilter.matches(alias, filter));
            const { items, next } = pageOf(matching, limit, ({ id }) => id);
            return { items, next: next ?? found[BATCH - 1]?.id ?? null };
          },
        ),

      create: (alias) =>
        write(
          sql`WITH address AS (
                INSERT INTO addresses VALUES (${EmailAddress.key(alias.email)}, ${alias.account}, ${alias.id})
                ON CONFLICT (key) DO NOTHING RETURNING account, alias_id
              ), alias AS (
                INSERT INTO aliases (data) SELECT ${JSON.stringify(alias)}::jsonb FROM address
              ), attached AS (
                INSERT INTO attachments (account, alias_id, recipient_id)
                SELECT account, alias_id, unnest(${Alias.attachedRecipients(alias)}::text[]) FROM address
              ) SELECT FROM address`,
          ADDRESS_TAKEN,
        ),

      save: ({ account, id, version }, after) =>
        write(
          sql`WITH alias AS (
                UPDATE aliases SET data = data || ${aliasSettings(after)}::jsonb
                WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING account, id
              ), detached AS (
                DELETE FROM attachments AS a USING alias WHERE a.account = alias.account AND a.alias_id = alias.id
                AND recipient_id <> ALL (${Alias.attachedRecipients(after)}::text[])
              ), attached AS (
                INSERT INTO attachments (account, alias_id, recipient_id)
                SELECT account, id, unnest(${Alias.attachedRecipients(after)}::text[]) FROM alias ON CONFLICT DO NOTHING
              ) SELECT FROM alias`,
        ),

      recordOutcome: (alias, event) => {
        const [account, id, key] =
          "email" in alias ? [null, null, EmailAddress.key(alias.email)] : [alias.account, alias.id, null];
        return run(
          sql`WITH alias AS (
                SELECT account, id FROM aliases WHERE (account, id) = (${account}, ${id})
                OR (account, id) = (SELECT account, alias_id FROM addresses WHERE key = ${key}) FOR NO KEY UPDATE
              ), event AS (
                INSERT INTO events (account, alias_id, id) SELECT account, id, ${event.id} FROM alias
                ON CONFLICT DO NOTHING
                RETURNING account, alias_id, ARRAY['tallies', ${event.outcome}] AS tally, ${event.at}::bigint AS at
              ), counted AS (
                UPDATE aliases AS a SET data = jsonb_set(data, tally, jsonb_build_object(
                  'count', (data #> tally ->> 'count')::bigint + 1,
                  'lastAt', greatest((data #> tally ->> 'lastAt')::bigint, at)))
                FROM event WHERE a.account = event.account AND a.id = event.alias_id
              ) SELECT EXISTS (SELECT FROM event) AS recorded FROM alias`,
          ([row]) => {
            if (row === undefined) return err({ code: "alias_not_found" });
            return ok(row["recorded"] === true ? "recorded" : "duplicate");
          },
        );
      },

      erase: ({ account, id, version }) =>
        write(
          sql`DELETE FROM aliases WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING 1`,
        ),

      retireAddress: (email) =>
        run(
          sql`INSERT INTO addresses VALUES (${EmailAddress.key(email)})
              ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING alias_id IS NULL AS retired`,
          ([address]) => (address?.["retired"] === true ? ok() : err(ADDRESS_TAKEN)),
        ),

      listRetiredAddresses: ({ limit, after }) =>
        find(
          sql`SELECT key AS data FROM addresses WHERE alias_id IS NULL AND key > ${after ?? ""}
              ORDER BY key LIMIT ${limit + 1}`,
          core.parseEmailAddress,
          (found) => pageOf(found, limit, (address) => address),
        ),
    },

    recipients: {
      find: (account, id) =>
        find(recipientsOf(account, [id]), core.parseRecipient, ([found = null]) => found),

      findAll: (account, ids) => find(recipientsOf(account, ids), core.parseRecipient, (found) => found),

      list: (account, { limit, after }) =>
        find(
          sql`SELECT data FROM counted_recipients WHERE account = ${account}
              AND (${after}::text IS NULL OR id < ${after}) ORDER BY id DESC LIMIT ${limit + 1}`,
          core.parseRecipient,
          (found) => pageOf(found, limit, ({ id }) => id),
        ),

      create: (recipient) =>
        write(
          sql`INSERT INTO recipients (data) VALUES (${JSON.stringify(recipient)})
              ON CONFLICT (account, key) DO NOTHING RETURNING 1`,
          ADDRESS_TAKEN,
        ),

      save: ({ account, id, version }, after) =>
        write(sql`UPDATE recipients SET data = data || ${recipientSettings(after)}::jsonb
                  WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING 1`),

      remove: ({ account, id, version }) =>
        write(
          sql`DELETE FROM recipients WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING 1`,
        ),
    },

    accounts: ({ limit, after }) =>
      find(
        sql`(SELECT DISTINCT account AS data FROM aliases WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            UNION (SELECT DISTINCT account FROM recipients WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            ORDER BY 1 LIMIT ${limit + 1}`,
        core.parseAccountId,
        (found) => pageOf(found, limit, (account) => account),
      ),

    ping: () => run(sql`SELECT`, () => ok()),
  };
};
