import * as core from "@postern/core";
import { Alias, EmailAddress, err, ok } from "@postern/core";
import {
  AliasFilter,
  pageOf,
  parseAlias,
  parseCreation,
  parseLedgerEntry,
  parseRecipient,
} from "@postern/core/store";

type Row = Readonly<Record<string, unknown>>;

type Options = {
  /** A `Pool` of `pg`, or a `PGlite`. */
  readonly driver: { query(text: string, values: unknown[]): Promise<{ rows: Row[] }> };
  /** The time limit of a call, in milliseconds. A caller can set a shorter one (`timeLeft`). */
  readonly timeoutMs?: number;
  /** Gets the error behind an `unavailable`; must not throw. Do not log its `detail`, which quotes values. */
  readonly onError: (error: unknown) => void;
};

const CONFLICT = { code: "conflict" } as const;
const ALIAS_NOT_FOUND = { code: "alias_not_found" } as const;
const ALREADY_CREATED = { code: "already_created" } as const;
const ADDRESS_TAKEN = { code: "address_taken" } as const;
const conflict = () => CONFLICT;

/** The failure of a creation, by the constraint that prevents it. */
const refusal = (constraint: unknown): core.AddressTaken | core.Conflict =>
  constraint === "addresses_pkey" || constraint === "recipients_address" ? ADDRESS_TAKEN : CONFLICT;

/** foreign_key_violation, unique_violation, serialization_failure, deadlock_detected: nothing changed. */
const REFUSALS: readonly unknown[] = ["23503", "23505", "40001", "40P01"];

/** The reason is PostgreSQL's code for the error, or the system's: a message can quote an address. */
const unavailable = (code: unknown) => {
  const reason = typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "failed";
  return err({ code: "unavailable", cause: { source: "postgres", reason } } as const);
};

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

/** Parses stored data like any other input. Throws an error that names invalid fields, not their values. */
const parsed =
  <T>(parse: (data: unknown) => core.Result<T, core.InvalidRequest>) =>
  ({ data }: Row): T => {
    const result = parse(data);
    if (result.isOk()) return result.value;
    const reasons = result.error.issues.map(({ path, reason }) => `${path.join(".")} ${reason}`);
    throw failure("CORRUPT_ROW", `A stored row is corrupt: ${reasons.join("; ")}`);
  };
const aliasOf = parsed(parseAlias);
const recipientOf = parsed(parseRecipient);
const entryOf = parsed(parseLedgerEntry);
const creationOf = parsed(parseCreation);
const addressOf = parsed(core.parseEmailAddress);
const done = () => ok();
const changed = ({ length }: readonly Row[]) => (length > 0 ? ok() : err(CONFLICT));

/** How many aliases a call examines for matches of a filter. */
const BATCH = 200;

/** The store in a database with the tables of postgres-schema.sql, for any number of processes. */
export const postgresStore = ({ driver, timeoutMs = 2_000, onError }: Options): core.BaseStore => {
  /**
   * Runs one statement, which PostgreSQL applies completely or not at all. If a constraint or another call
   * prevents it, the failure is what `refused` returns for the constraint's name. Any other failure, also an
   * error thrown by `read`, is `unavailable`. Never rejects.
   */
  const run =
    <T, E, const R = never>(
      timeLeft: number | undefined,
      read: (rows: readonly Row[]) => core.Result<T, E>,
      refused?: (constraint: unknown) => R,
    ) =>
    async (text: TemplateStringsArray, ...values: unknown[]): core.PortResult<T, E | R> => {
      if (timeLeft === 0) return unavailable("NO_TIME_LEFT");
      const limit = Math.min(timeoutMs, timeLeft ?? timeoutMs);
      const late = Promise.withResolvers<never>();
      const message = `PostgreSQL did not respond within ${limit} ms`;
      const timer = setTimeout(() => late.reject(failure("ETIMEDOUT", message)), limit);
      try {
        const statement = text.reduce((before, part, i) => `${before}$${i}${part}`);
        return read((await Promise.race([driver.query(statement, values), late.promise])).rows);
      } catch (error) {
        const { code, constraint }: Row = error instanceof Error ? { ...error } : {};
        const isRefusal = REFUSALS.includes(code) || String(constraint).startsWith("too_many_");
        if (refused !== undefined && isRefusal) return err(refused(constraint));
        onError(error);
        return unavailable(code);
      } finally {
        clearTimeout(timer);
      }
    };

  return {
    aliases: {
      findWithRecipients: (account, id, ids, timeLeft) =>
        run(timeLeft, (rows) => {
          const [alias = null] = rows.filter(({ kind }) => kind === "alias").map(aliasOf);
          return ok({ alias, recipients: rows.filter(({ kind }) => kind !== "alias").map(recipientOf) });
        })`SELECT 'alias' AS kind, data FROM aliases WHERE account = ${account} AND id = ${id} UNION ALL
           SELECT 'recipient', data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids})`,

      findByEmail: (email, timeLeft) =>
        run(timeLeft, (rows) => ok(rows.map(aliasOf).map(Alias.state)[0] ?? null))`
          SELECT data FROM aliases WHERE (account, id) =
            (SELECT account, alias_id FROM addresses WHERE key = ${EmailAddress.key(email)})`,

      list: (account, { limit, after }, filter, timeLeft) =>
        run(timeLeft, (rows) => {
          const found = rows.map(aliasOf);
          const matching = found.filter((alias) => AliasFilter.matches(alias, filter));
          const { items, next } = pageOf(matching, limit, ({ id }) => id);
          return ok({ items, next: next ?? found[BATCH - 1]?.id ?? null });
        })`SELECT data FROM aliases WHERE account = ${account} AND (${after}::text IS NULL OR id < ${after})
           ORDER BY id DESC LIMIT ${BATCH}`,

      create: (alias, { aliases: limit }, creation, timeLeft) =>
        run(timeLeft, done, (constraint) => {
          if (constraint === "creations_pkey") return ALREADY_CREATED;
          return constraint === "too_many_aliases" ? { code: constraint, limit } : refusal(constraint);
        })`SELECT create_alias(${JSON.stringify(alias)}, ${Alias.attachedRecipients(alias)}, ${limit},
           ${creation && JSON.stringify(creation)})`,

      save: ({ account, id, version }, after, timeLeft) =>
        run(timeLeft, changed, conflict)`
          UPDATE aliases SET recipients = ${Alias.attachedRecipients(after)},
            data = data || (${JSON.stringify(after)}::jsonb - '{id,account,email,createdAt,tallies}'::text[])
          WHERE (account, id, version) = (${account}, ${id}, ${version}) RETURNING 1`,

      recordOutcome: (alias, { id, outcome, at }, timeLeft) => {
        const [place, key] = "email" in alias ? [null, EmailAddress.key(alias.email)] : [alias, null];
        return run(timeLeft, ([{ result } = {}]) =>
          result === "recorded" || result === "duplicate" ? ok<typeof result>(result) : err(ALIAS_NOT_FOUND),
        )`SELECT record_outcome(${place?.account}, ${place?.id}, ${key}, ${id}, ${outcome}, ${at}) AS result`;
      },

      erase: ({ account, id, version }, timeLeft) =>
        run(timeLeft, changed, conflict)`
          DELETE FROM aliases WHERE (account, id, version) = (${account}, ${id}, ${version}) RETURNING 1`,

      retireAddress: (email) =>
        run(undefined, ([row]) => (row?.["retired"] === true ? ok() : err(ADDRESS_TAKEN)))`
          INSERT INTO addresses VALUES (${EmailAddress.key(email)})
          ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING alias_id IS NULL AS retired`,

      isRetired: (email, timeLeft) =>
        run(timeLeft, ({ length }) => ok(length > 0))`
          SELECT FROM addresses WHERE key = ${EmailAddress.key(email)} AND alias_id IS NULL`,

      listRetiredAddresses: ({ limit, after }) =>
        run(undefined, (rows) => ok(pageOf(rows.map(addressOf), limit, (key) => key)))`
          SELECT key AS data FROM addresses WHERE alias_id IS NULL AND key > ${after ?? ""}
          ORDER BY key LIMIT ${limit + 1}`,
    },

    recipients: {
      find: (account, id, timeLeft) =>
        run(timeLeft, (rows) => ok(rows.map(recipientOf)[0] ?? null))`
          SELECT data FROM counted_recipients WHERE account = ${account} AND id = ${id}`,

      findAll: (account, ids, timeLeft) =>
        run(timeLeft, (rows) => ok(rows.map(recipientOf)))`
          SELECT data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids})`,

      list: (account, { limit, after }, timeLeft) =>
        run(timeLeft, (rows) => ok(pageOf(rows.map(recipientOf), limit, ({ id }) => id)))`
          SELECT data FROM counted_recipients WHERE account = ${account}
          AND (${after}::text IS NULL OR id < ${after}) ORDER BY id DESC LIMIT ${limit + 1}`,

      create: (recipient, { recipients: limit, unverifiedRecipients }, timeLeft) =>
        run(timeLeft, done, (constraint) => {
          if (constraint === "too_many_recipients") return { code: constraint, limit };
          if (constraint !== "too_many_unverified_recipients") return refusal(constraint);
          return { code: constraint, limit: unverifiedRecipients };
        })`SELECT create_recipient(${JSON.stringify(recipient)}, ${limit}, ${unverifiedRecipients})`,

      save: ({ account, id, version }, after, timeLeft) =>
        run(timeLeft, changed, conflict)`
          UPDATE recipients SET
            data = data || (${JSON.stringify(after)}::jsonb - '{id,account,email,createdAt,attached}'::text[])
          WHERE (account, id, version) = (${account}, ${id}, ${version}) RETURNING 1`,

      remove: ({ account, id, version }, timeLeft) =>
        run(timeLeft, changed, conflict)`
          DELETE FROM recipients WHERE (account, id, version) = (${account}, ${id}, ${version}) RETURNING 1`,
    },

    mailLedger: {
      find: (keys, timeLeft) =>
        run(timeLeft, (rows) => ok(rows.map(entryOf)))`
          SELECT data FROM mail_ledger WHERE key = ANY (${keys})`,

      // Always in the same order, so that two calls do not deadlock.
      save: (entries, timeLeft) =>
        run(timeLeft, done, conflict)`
          INSERT INTO mail_ledger (data)
          SELECT e FROM jsonb_array_elements(${JSON.stringify(entries)}::jsonb) AS e ORDER BY e ->> 'key'
          ON CONFLICT (key) DO UPDATE SET data = excluded.data`,

      list: ({ limit, after }) =>
        run(undefined, (rows) => ok(pageOf(rows.map(entryOf), limit, ({ key }) => key)))`
          SELECT data FROM mail_ledger WHERE key > ${after ?? ""} ORDER BY key LIMIT ${limit + 1}`,
    },

    creations: {
      find: (account, key, timeLeft) =>
        run(timeLeft, (rows) => ok(rows.map(creationOf)[0] ?? null))`
          SELECT data FROM creations WHERE account = ${account} AND key = ${key}`,

      forget: (account, limit, timeLeft) =>
        run(timeLeft, ({ length }) => ok(length))`
          DELETE FROM creations WHERE account = ${account} AND key IN
            (SELECT key FROM creations WHERE account = ${account} LIMIT ${limit}) RETURNING 1`,
    },

    ping: () =>
      run(undefined, done)`INSERT INTO probe DEFAULT VALUES ON CONFLICT (id) DO UPDATE SET id = probe.id`,
  };
};
