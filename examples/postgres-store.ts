import * as core from "@postern/core";
import { Alias, EmailAddress, err, ok, Sender } from "@postern/core";
import * as stores from "@postern/core/store";
import { AliasFilter, Announcement, Meeting, pageOf } from "@postern/core/store";
import {
  type DatabaseOptions,
  type Parse,
  parsed,
  type Row,
  type Statement,
  sql,
  statementRunner,
} from "./postgres-database.ts";

/** What `save` writes: everything except what never changes and what the store counts. */
const aliasSettings = ({ id, account, email, createdAt, tallies, ...settings }: Alias) =>
  JSON.stringify(settings satisfies stores.AliasSettings);
const recipientSettings = ({ id, account, email, createdAt, attached, ...settings }: core.Recipient) =>
  JSON.stringify(settings satisfies stores.RecipientSettings);

const webhookSettings = ({ id, account, secret, createdAt, ...settings }: core.Webhook) =>
  JSON.stringify(settings satisfies stores.WebhookSettings);

/** What a recipient adds to the count of unverified recipients. */
const unverified = ({ verifiedAt }: core.Recipient): 0 | 1 => (verifiedAt === null ? 1 : 0);

const CONFLICT = { code: "conflict" } as const;
const ALIAS_NOT_FOUND = { code: "alias_not_found" } as const;
const ADDRESS_TAKEN = { code: "address_taken" } as const;

/** The failure when a constraint prevents a creation. */
const refusal = (constraint: unknown): core.AddressTaken | core.Conflict =>
  constraint === "addresses_pkey" || constraint === "recipients_account_key_key" ? ADDRESS_TAKEN : CONFLICT;

const contactRefusal = (constraint: unknown): core.AliasNotFound | core.AddressTaken | core.Conflict => {
  if (constraint === "contacts_alias") return ALIAS_NOT_FOUND;
  return constraint === "contacts_address" ? ADDRESS_TAKEN : CONFLICT;
};

/** How often others may change something between a call's read and its write. */
const MAX_ATTEMPTS = 20;
const CONTENDED = {
  code: "unavailable",
  cause: { source: "postgres", reason: "too many conflicts" },
} as const;

/** The time left for a call that begins now. */
const countdown = (timeLeft: number | undefined) => {
  const begun = performance.now();
  return () => timeLeft && Math.max(0, timeLeft - (performance.now() - begun));
};

type Blocked = { readonly blocked: core.BlockedSender; readonly isNew: boolean };

/** The outcome of an attempt to block a sender; null if somebody else has just blocked it, so that the next attempt finds it. */
const blockedOf = (
  blocked: core.BlockedSender,
  limit: number,
  { added, data, taken, count }: Row = {},
): core.Result<Blocked | null, core.Conflict | core.TooManyBlockedSenders> => {
  if (added === true) return ok({ blocked, isNew: true });
  if (data) return ok({ blocked: parsed(stores.parseBlockedSender, { data }), isNew: false });
  if (taken === true) return err(CONFLICT);
  return limit > 0 && Number(count) >= limit ? err({ code: "too_many_blocked_senders", limit }) : ok(null);
};

/** The turn that a row of `turns` describes. */
const turnOf = (row: Row, until: number): stores.Turn => {
  const { account, webhook, failures, failing_since: since, after_position: after } = row;
  const place = {
    account: parsed(core.parseAccountId, { data: account }),
    id: parsed(core.parseWebhookId, { data: webhook }),
  };
  const parse = (position: unknown) => stores.parseAnnouncement(place, position).map(Announcement.position);
  return {
    ...place,
    until,
    failures: Number(failures),
    failingSince: since === null ? null : Number(since),
    after: after === null ? null : parsed(parse, { data: after }),
  };
};

/** How many aliases a call examines for matches of a filter. */
const BATCH = 200;

/** The store in a database with the tables of postgres-schema.sql, for any number of processes. */
export const postgresStore = (options: DatabaseOptions): core.Store => {
  const run = statementRunner(options);

  const find = <T, R>(
    timeLeft: number | undefined,
    statement: Statement,
    parse: Parse<T>,
    use: (found: readonly T[]) => R,
  ) => run(timeLeft, statement, (rows) => ok(use(rows.map((row) => parsed(parse, row)))));

  /** Runs a statement that returns a row if it changed anything; otherwise the result is `conflict`. */
  const write = (timeLeft: number | undefined, statement: Statement) =>
    run(
      timeLeft,
      statement,
      ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
      () => CONFLICT,
    );

  const recipientsOf = (account: string, ids: readonly string[]) =>
    sql`SELECT data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids}::text[])`;

  return {
    aliases: {
      findWithRecipients: (account, id, ids, timeLeft) =>
        run(
          timeLeft,
          sql`SELECT true AS is_alias, data FROM aliases WHERE account = ${account} AND id = ${id} UNION ALL
              SELECT false, data FROM counted_recipients WHERE account = ${account} AND id = ANY (${ids}::text[])`,
          (rows) => {
            const alias = rows.find((row) => row["is_alias"] === true);
            const recipients = rows.filter((row) => row !== alias);
            return ok({
              alias: alias === undefined ? null : parsed(stores.parseAlias, alias),
              recipients: recipients.map((row) => parsed(stores.parseRecipient, row)),
            });
          },
        ),

      findByEmail: (email, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM aliases WHERE (account, id) =
                (SELECT account, alias_id FROM addresses WHERE key = ${EmailAddress.key(email)})`,
          stores.parseAlias,
          ([alias = null]) => alias,
        ),

      list: (account, { limit, after }, filter, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM aliases WHERE account = ${account} AND (${after}::text IS NULL OR id < ${after})
              ORDER BY id DESC LIMIT ${BATCH}`,
          stores.parseAlias,
          (found) => {
            const matching = found.filter((alias) => AliasFilter.matches(alias, filter));
            const { items, next } = pageOf(matching, limit, ({ id }) => id);
            return { items, next: next ?? found[BATCH - 1]?.id ?? null };
          },
        ),

      create: (alias, { aliases: limit }, timeLeft) =>
        run(
          timeLeft,
          sql`WITH place AS (
                INSERT INTO counts AS c (account, aliases) VALUES (${alias.account}, 1)
                ON CONFLICT (account) DO UPDATE SET aliases = c.aliases + 1
                WHERE ${limit}::bigint NOT BETWEEN 1 AND c.aliases RETURNING account
              ), alias AS (
                INSERT INTO aliases (data) SELECT ${JSON.stringify(alias)}::jsonb FROM place RETURNING account, id
              ), address AS (
                INSERT INTO addresses SELECT ${EmailAddress.key(alias.email)}, account, id FROM alias
              ), attached AS (
                INSERT INTO attachments (account, alias_id, recipient_id)
                SELECT account, id, unnest(${Alias.attachedRecipients(alias)}::text[]) FROM alias
              ) SELECT FROM place`,
          ([place]) => (place === undefined ? err({ code: "too_many_aliases", limit }) : ok()),
          refusal,
        ),

      save: ({ account, id, version }, after, timeLeft) =>
        write(
          timeLeft,
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

      recordOutcome: (alias, event, timeLeft) => {
        const [account, id, key] =
          "email" in alias ? [null, null, EmailAddress.key(alias.email)] : [alias.account, alias.id, null];
        return run(
          timeLeft,
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
            if (row === undefined) return err(ALIAS_NOT_FOUND);
            return ok(row["recorded"] === true ? "recorded" : "duplicate");
          },
        );
      },

      erase: ({ account, id, version }, timeLeft) =>
        write(
          timeLeft,
          sql`WITH alias AS (
                DELETE FROM aliases WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING account
              ) UPDATE counts AS c SET aliases = aliases - 1 FROM alias WHERE c.account = alias.account RETURNING 1`,
        ),

      retireAddress: (email) =>
        run(
          undefined,
          sql`INSERT INTO addresses VALUES (${EmailAddress.key(email)})
              ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING alias_id IS NULL AS retired`,
          ([address]) => (address?.["retired"] === true ? ok() : err(ADDRESS_TAKEN)),
        ),

      isRetired: (email, timeLeft) =>
        run(
          timeLeft,
          sql`SELECT 1 FROM addresses WHERE key = ${EmailAddress.key(email)} AND alias_id IS NULL`,
          (rows) => ok(rows.length > 0),
        ),

      listRetiredAddresses: ({ limit, after }) =>
        find(
          undefined,
          sql`SELECT key AS data FROM addresses WHERE alias_id IS NULL AND key > ${after ?? ""}
              ORDER BY key LIMIT ${limit + 1}`,
          core.parseEmailAddress,
          (found) => pageOf(found, limit, (address) => address),
        ),
    },

    recipients: {
      find: (account, id, timeLeft) =>
        find(timeLeft, recipientsOf(account, [id]), stores.parseRecipient, ([found = null]) => found),

      findAll: (account, ids, timeLeft) =>
        find(timeLeft, recipientsOf(account, ids), stores.parseRecipient, (found) => found),

      list: (account, { limit, after }, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM counted_recipients WHERE account = ${account}
              AND (${after}::text IS NULL OR id < ${after}) ORDER BY id DESC LIMIT ${limit + 1}`,
          stores.parseRecipient,
          (found) => pageOf(found, limit, ({ id }) => id),
        ),

      create: (recipient, { recipients: limit, unverifiedRecipients: unverifiedLimit }, timeLeft) =>
        run(
          timeLeft,
          sql`WITH place AS (
                INSERT INTO counts AS c (account, recipients, unverified)
                VALUES (${recipient.account}, 1, ${unverified(recipient)})
                ON CONFLICT (account) DO UPDATE
                SET recipients = c.recipients + 1, unverified = c.unverified + excluded.unverified
                WHERE ${limit}::bigint NOT BETWEEN 1 AND c.recipients
                AND (excluded.unverified = 0 OR ${unverifiedLimit}::bigint NOT BETWEEN 1 AND c.unverified)
                RETURNING account
              ), recipient AS (
                INSERT INTO recipients (data) SELECT ${JSON.stringify(recipient)}::jsonb FROM place
              ) SELECT EXISTS (SELECT FROM place) AS created,
                ${limit}::bigint BETWEEN 1 AND recipients AS full,
                ${unverifiedLimit}::bigint BETWEEN 1 AND unverified AS unverified_full
              FROM (SELECT) AS one LEFT JOIN counts ON account = ${recipient.account}`,
          ([row]) => {
            if (row?.["created"] === true) return ok();
            if (row?.["full"] === true) return err({ code: "too_many_recipients", limit });
            if (row?.["unverified_full"] === true && recipient.verifiedAt === null) {
              return err({ code: "too_many_unverified_recipients", limit: unverifiedLimit });
            }
            // The last place was free when this statement started, and was taken while it waited.
            return err(CONFLICT);
          },
          refusal,
        ),

      save: (before, after, timeLeft) => {
        const { account, id, version } = before;
        const change = unverified(after) - unverified(before);
        return write(
          timeLeft,
          sql`WITH recipient AS (
                UPDATE recipients SET data = data || ${recipientSettings(after)}::jsonb
                WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING account
              ), counted AS (
                UPDATE counts AS c SET unverified = unverified + ${change}::bigint FROM recipient AS r
                WHERE c.account = r.account AND ${change}::bigint <> 0
              ) SELECT FROM recipient`,
        );
      },

      remove: (recipient, timeLeft) => {
        const { account, id, version } = recipient;
        return write(
          timeLeft,
          sql`WITH recipient AS (
                DELETE FROM recipients WHERE account = ${account} AND id = ${id} AND version = ${version}
                RETURNING account
              ) UPDATE counts AS c
              SET recipients = recipients - 1, unverified = unverified - ${unverified(recipient)}::bigint
              FROM recipient AS r WHERE c.account = r.account RETURNING 1`,
        );
      },
    },

    mailLedger: {
      find: (keys, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM mail_ledger WHERE key = ANY (${keys}::text[])`,
          stores.parseLedgerEntry,
          (found) => found,
        ),

      save: (entries, timeLeft) =>
        write(
          timeLeft,
          sql`WITH entry AS (
                SELECT data, data ->> 'key' AS key, (data -> 'version')::bigint - 1 AS before
                FROM jsonb_array_elements(${JSON.stringify(entries)}::jsonb) AS data
              ), stored AS (
                SELECT key, version FROM mail_ledger WHERE key IN (SELECT key FROM entry) ORDER BY key FOR UPDATE
              ), agreed AS (
                SELECT * FROM entry
                WHERE NOT EXISTS (SELECT FROM entry LEFT JOIN stored USING (key) WHERE before <> coalesce(version, 0))
              ), changed AS (
                UPDATE mail_ledger AS l SET data = agreed.data FROM agreed WHERE l.key = agreed.key
              ), created AS (
                INSERT INTO mail_ledger (data) SELECT data FROM agreed WHERE before = 0 ORDER BY key
              ) SELECT FROM agreed`,
        ),

      list: ({ limit, after }) =>
        find(
          undefined,
          sql`SELECT data FROM mail_ledger WHERE key > ${after ?? ""} ORDER BY key LIMIT ${limit + 1}`,
          stores.parseLedgerEntry,
          (found) => pageOf(found, limit, ({ key }) => key),
        ),
    },

    contacts: {
      meet: async (alias, encounters, { contacts: limit }, timeLeft) => {
        const { account, id } = alias;
        const met = Meeting.of(alias, encounters);
        const keys = met.map(({ email }) => EmailAddress.key(email));
        const left = countdown(timeLeft);
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
          // `unused` are the contacts that may have to be evicted, those unused for longest first.
          const found = await run(
            left(),
            sql`WITH own AS (SELECT * FROM contacts WHERE account = ${account} AND alias_id = ${id})
                SELECT (SELECT coalesce(max(number), 0) FROM meetings WHERE account = a.account AND alias_id = a.id) AS turn,
                  (SELECT count(*) FROM own) AS count,
                  ARRAY(SELECT id FROM contacts WHERE id = ANY (${met.map(({ id }) => id)}::text[])) AS taken,
                  (SELECT jsonb_agg(data) FROM own WHERE key = ANY (${keys}::text[])) AS stored,
                  ARRAY(SELECT id FROM own WHERE is_evictable AND key <> ALL (${keys}::text[]) ORDER BY last_received_at
                    LIMIT (SELECT greatest(0, count(*) + ${met.length}::bigint - ${limit}::bigint) FROM own)) AS unused
                FROM aliases AS a WHERE account = ${account} AND id = ${id}`,
            ([row]) => (row === undefined ? err(ALIAS_NOT_FOUND) : ok(row)),
          );
          if (found.isErr()) return err(found.error);
          const { turn, count, taken, stored, unused } = found.value;
          const contacts = Array.isArray(stored)
            ? stored.map((data) => parsed(stores.parseContact, { data }))
            : [];
          const { fresh, known, noted } = Meeting.compare(met, contacts);
          const free = fresh.filter((contact) => !(Array.isArray(taken) && taken.includes(contact.id)));
          if (free.length + noted.length === 0) return ok(Meeting.result(encounters, known));
          const excess =
            limit === 0 || free.length === 0 ? 0 : Math.max(0, Number(count) + free.length - limit);
          const leaving = Array.isArray(unused) ? unused.slice(0, excess) : [];
          const added = free.slice(0, Math.max(0, free.length - (excess - leaving.length)));
          const written = await run(
            left(),
            sql`WITH alias AS (
                  SELECT account, id FROM aliases WHERE account = ${account} AND id = ${id} FOR KEY SHARE
                ), turn AS (
                  INSERT INTO meetings AS m SELECT account, id, 1 FROM alias
                  ON CONFLICT (account, alias_id) DO UPDATE SET number = m.number + 1 WHERE m.number = ${turn}
                  RETURNING 1
                ), gone AS (
                  DELETE FROM contacts USING turn WHERE id = ANY (${leaving}::text[]) AND is_evictable
                ), noted AS (
                  UPDATE contacts AS c SET data = c.data || (n - 'blocking' - 'version')
                  FROM turn, jsonb_array_elements(${JSON.stringify(noted)}::jsonb) AS n WHERE c.id = n ->> 'id'
                ), added AS (
                  INSERT INTO contacts (data) SELECT jsonb_array_elements(${JSON.stringify(added)}::jsonb) FROM turn
                ) SELECT FROM turn`,
            ({ length }) => ok(length > 0),
            () => CONFLICT,
          );
          if (written.isErr() && written.error.code === "unavailable") return err(written.error);
          if (written.unwrapOr(false)) return ok(Meeting.result(encounters, [...known, ...added]));
        }
        return err(CONTENDED);
      },

      find: (id, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM contacts WHERE id = ${id}`,
          stores.parseContact,
          ([contact = null]) => contact,
        ),

      list: ({ account, id }, { limit, after }, timeLeft) => {
        const from = after === null ? null : stores.partsOfPosition(after);
        return find(
          timeLeft,
          sql`SELECT data FROM contacts WHERE account = ${account} AND alias_id = ${id}
              AND (${from?.id ?? null}::text IS NULL OR (created_at, id) < (${from?.createdAt ?? null}, ${from?.id ?? null}))
              ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`,
          stores.parseContact,
          (found) => pageOf(found, limit, core.Contact.position),
        );
      },

      listOfAccount: (account, { limit, after }) =>
        find(
          undefined,
          sql`SELECT data FROM contacts WHERE account = ${account} AND id > ${after ?? ""} ORDER BY id LIMIT ${limit + 1}`,
          stores.parseContact,
          (found) => pageOf(found, limit, ({ id }): string => id),
        ),

      save: ({ account, id, version }, { blocking, version: next }, timeLeft) =>
        write(
          timeLeft,
          sql`UPDATE contacts SET data = data || ${JSON.stringify({ blocking, version: next } satisfies stores.ContactSettings)}::jsonb
              WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING 1`,
        ),

      create: (contact, timeLeft) =>
        run(
          timeLeft,
          sql`INSERT INTO contacts (data) VALUES (${JSON.stringify(contact)}::jsonb)`,
          () => ok(),
          contactRefusal,
        ),
    },

    blockedSenders: {
      block: async (blocked, { blockedSenders: limit }, timeLeft) => {
        const left = countdown(timeLeft);
        const { account, id, sender } = blocked;
        const key = Sender.key(sender);
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
          const tried = await run(
            left(),
            sql`WITH own AS (SELECT * FROM blocked_senders WHERE account = ${account}), added AS (
                  INSERT INTO blocked_senders (data) SELECT ${JSON.stringify(blocked)}::jsonb
                  WHERE NOT EXISTS (SELECT FROM own WHERE key = ${key})
                    AND (${limit}::bigint = 0 OR (SELECT count(*) FROM own) < ${limit}::bigint)
                  ON CONFLICT DO NOTHING RETURNING 1
                )
                SELECT EXISTS (SELECT FROM added) AS added, (SELECT data FROM own WHERE key = ${key}) AS data,
                  EXISTS (SELECT FROM own WHERE id = ${id}) AS taken, (SELECT count(*) FROM own) AS count`,
            ([row]) => blockedOf(blocked, limit, row),
          );
          if (tried.isErr()) return err(tried.error);
          if (tried.value !== null) return ok(tried.value);
        }
        return err(CONTENDED);
      },

      unblock: (account, id, timeLeft) =>
        run(timeLeft, sql`DELETE FROM blocked_senders WHERE account = ${account} AND id = ${id}`, () => ok()),

      isBlocked: (account, email, timeLeft) =>
        run(
          timeLeft,
          sql`SELECT FROM blocked_senders
              WHERE account = ${account} AND key = ANY (${Sender.keysOf(email)}::text[]) LIMIT 1`,
          ({ length }) => ok(length > 0),
        ),

      list: (account, { limit, after }, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM blocked_senders WHERE account = ${account} AND (${after}::text IS NULL OR id < ${after})
              ORDER BY id DESC LIMIT ${limit + 1}`,
          stores.parseBlockedSender,
          (found) => pageOf(found, limit, ({ id }) => id),
        ),
    },

    messageLog: {
      save: (message, timeLeft) =>
        run(
          timeLeft,
          sql`INSERT INTO logged_messages AS m (data) SELECT ${JSON.stringify(message)}::jsonb FROM (
                SELECT FROM aliases WHERE account = ${message.account} AND id = ${message.alias} FOR KEY SHARE
              ) AS alias
              ON CONFLICT (account, alias_id, position) DO UPDATE SET data = excluded.data
              WHERE (excluded.data -> 'revision')::bigint > m.revision`,
          () => ok(),
        ),

      find: ({ account, id }, position, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM logged_messages WHERE account = ${account} AND alias_id = ${id} AND position = ${position}`,
          stores.parseLoggedMessage,
          ([message = null]) => message,
        ),

      list: ({ account, id }, { limit, after }, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM logged_messages WHERE account = ${account} AND alias_id = ${id}
              AND (${after}::text IS NULL OR position < ${after}) ORDER BY position DESC LIMIT ${limit + 1}`,
          stores.parseLoggedMessage,
          (found) => pageOf(found, limit, core.LoggedMessage.position),
        ),
    },

    resends: {
      request: (resend, timeLeft) =>
        run(
          timeLeft,
          sql`INSERT INTO resends AS r (data) SELECT ${JSON.stringify(resend)}::jsonb FROM (
                SELECT FROM aliases WHERE account = ${resend.account} AND id = ${resend.alias} FOR KEY SHARE
              ) AS alias
              ON CONFLICT (spool, account, alias_id, message) DO UPDATE SET data = excluded.data
              WHERE (excluded.data -> 'at')::bigint > r.at`,
          () => ok(),
        ),

      list: (spool, limit, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM resends WHERE spool = ${spool} LIMIT ${limit}`,
          stores.parseResend,
          (found) => found,
        ),

      finish: ({ spool, account, alias, message, at }, timeLeft) =>
        run(
          timeLeft,
          sql`DELETE FROM resends WHERE spool = ${spool} AND account = ${account} AND alias_id = ${alias}
              AND message = ${message} AND at = ${at}`,
          () => ok(),
        ),
    },

    webhooks: {
      create: (webhook, timeLeft) =>
        run(
          timeLeft,
          sql`WITH place AS (
                INSERT INTO counts AS c (account, webhooks) VALUES (${webhook.account}, 1)
                ON CONFLICT (account) DO UPDATE SET webhooks = c.webhooks + 1
                WHERE c.webhooks < ${core.MAX_WEBHOOKS}::bigint RETURNING 1
              ), webhook AS (
                INSERT INTO webhooks (data) SELECT ${JSON.stringify(webhook)}::jsonb FROM place
              ) SELECT FROM place`,
          ({ length }) =>
            length > 0 ? ok() : err({ code: "too_many_webhooks", limit: core.MAX_WEBHOOKS } as const),
          () => CONFLICT,
        ),

      list: (account, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT data FROM webhooks WHERE account = ${account}`,
          stores.parseWebhook,
          (found) => found,
        ),

      save: ({ account, id, version }, after, timeLeft) =>
        write(
          timeLeft,
          sql`UPDATE webhooks SET data = data || ${webhookSettings(after)}::jsonb
              WHERE account = ${account} AND id = ${id} AND version = ${version} RETURNING 1`,
        ),

      remove: (account, id, timeLeft) =>
        run(
          timeLeft,
          sql`WITH webhook AS (DELETE FROM webhooks WHERE account = ${account} AND id = ${id} RETURNING account)
              UPDATE counts AS c SET webhooks = webhooks - 1 FROM webhook AS w WHERE c.account = w.account`,
          () => ok(),
        ),
    },

    outbox: {
      announce: (announcements, timeLeft) => {
        const [{ account }] = announcements;
        const added = announcements.map((each) => ({ ...each, position: Announcement.position(each) }));
        return run(
          timeLeft,
          sql`WITH announced AS (
                SELECT * FROM jsonb_to_recordset(${JSON.stringify(added)}::jsonb) AS a (webhook text, position text, at bigint)
              ), added AS (
                INSERT INTO announcements SELECT ${account}, webhook, position FROM announced
                ON CONFLICT DO NOTHING RETURNING account, webhook, position
              ) INSERT INTO turns AS t (account, webhook, announced, due_at)
              SELECT account, webhook, count(*), min(at) FROM added JOIN announced USING (webhook, position)
              GROUP BY account, webhook ORDER BY webhook
              ON CONFLICT (account, webhook) DO UPDATE
              SET announced = t.announced + excluded.announced, due_at = coalesce(t.due_at, excluded.due_at)`,
          () => ok(),
        );
      },

      list: (webhook, { limit, after }, timeLeft) =>
        find(
          timeLeft,
          sql`SELECT position AS data FROM announcements
              WHERE account = ${webhook.account} AND webhook = ${webhook.id} AND (${after}::text IS NULL OR position < ${after})
              ORDER BY position DESC LIMIT ${limit + 1}`,
          (position) => stores.parseAnnouncement(webhook, position),
          (found) => pageOf(found, limit, Announcement.position),
        ),

      remove: (announcements, timeLeft) => {
        const [{ account, webhook }] = announcements;
        return run(
          timeLeft,
          sql`WITH removed AS (
                DELETE FROM announcements WHERE account = ${account} AND webhook = ${webhook}
                AND position = ANY (${announcements.map(Announcement.position)}::text[]) RETURNING 1
              ) UPDATE turns SET announced = announced - (SELECT count(*) FROM removed)
              WHERE account = ${account} AND webhook = ${webhook}`,
          () => ok(),
        );
      },

      begin: ({ now, until, limit }, timeLeft) =>
        run(
          timeLeft,
          sql`WITH due AS (
                SELECT account, webhook FROM turns WHERE due_at <= ${now} AND leased_until <= ${now}
                ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
              ) UPDATE turns AS t SET leased_until = ${until} FROM due
              WHERE t.account = due.account AND t.webhook = due.webhook RETURNING t.*`,
          (rows) => ok(rows.map((row) => turnOf(row, until))),
        ),

      end: ({ account, id, until }, { dueAt, failures, failingSince, after }, timeLeft) =>
        run(
          timeLeft,
          sql`UPDATE turns SET due_at = CASE WHEN announced > 0 THEN ${dueAt}::bigint END, leased_until = 0,
                failures = ${failures}, failing_since = ${failingSince}, after_position = ${after}
              WHERE account = ${account} AND webhook = ${id} AND leased_until = ${until}`,
          () => ok(),
        ),
    },

    suspensions: {
      find: (account, timeLeft) =>
        run(timeLeft, sql`SELECT since FROM suspensions WHERE account = ${account}`, ([row]) =>
          ok(row === undefined ? null : Number(row["since"])),
        ),

      suspend: (account, at, timeLeft) =>
        run(
          timeLeft,
          sql`INSERT INTO suspensions AS s VALUES (${account}, ${at})
              ON CONFLICT (account) DO UPDATE SET since = least(s.since, excluded.since)`,
          () => ok(),
        ),

      resume: (account, timeLeft) =>
        run(timeLeft, sql`DELETE FROM suspensions WHERE account = ${account}`, () => ok()),
    },

    accounts: ({ limit, after }) =>
      find(
        undefined,
        sql`(SELECT DISTINCT account AS data FROM aliases WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            UNION (SELECT DISTINCT account FROM recipients WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            UNION (SELECT DISTINCT account FROM blocked_senders WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            UNION (SELECT DISTINCT account FROM webhooks WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            UNION (SELECT account FROM suspensions WHERE account > ${after ?? ""} ORDER BY 1 LIMIT ${limit + 1})
            ORDER BY 1 LIMIT ${limit + 1}`,
        core.parseAccountId,
        (found) => pageOf(found, limit, (account) => account),
      ),

    ping: () =>
      run(undefined, sql`INSERT INTO probe DEFAULT VALUES ON CONFLICT (id) DO UPDATE SET id = probe.id`, () =>
        ok(),
      ),
  };
};
