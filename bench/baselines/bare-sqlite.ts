import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AliasJson, aliasJson } from "../support/alias-json.ts";
import { aliasesOf, CREATED_AT, recipientsOf } from "../support/fixture.ts";
import { readSetup } from "../support/setup.ts";
import { serveBare } from "./bare/http.ts";
import type { Replaced } from "./shared/memory-store.ts";

/*
 * Bare node:http on prepared statements: as few tables, indexes and statements as the rules need, in transactions that are
 * as durable as Postern's. An alias has the ids of its recipients in a column, in order; a recipient counts its aliases.
 */

const setup = readSetup();
const db = new DatabaseSync(join(setup.directory, setup.database));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE recipients (
    account TEXT NOT NULL, id TEXT NOT NULL, email TEXT NOT NULL, verified_at INTEGER, active INTEGER NOT NULL,
    attached INTEGER NOT NULL, PRIMARY KEY (account, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE aliases (
    account TEXT NOT NULL, id TEXT NOT NULL, email TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
    active INTEGER NOT NULL, recipients TEXT NOT NULL, tallies TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, deleted_at INTEGER, version INTEGER NOT NULL, PRIMARY KEY (account, id)
  ) STRICT, WITHOUT ROWID;
`);

/** The tallies among the 20 fields. */
type Tallies = Pick<AliasJson, Extract<keyof AliasJson, `emails_${string}` | `datetime_last_${string}`>>;
type AliasRow = {
  readonly id: string;
  readonly email: string;
  readonly description: string;
  readonly active: number;
  readonly recipients: string;
  readonly tallies: string;
  readonly created_at: number;
  readonly deleted_at: number | null;
  readonly updated_at: number;
  readonly version: number;
};
type RecipientRow = { readonly email: string; readonly verified_at: number | null; readonly active: number };

const insertRecipient = db.prepare("INSERT INTO recipients VALUES (?, ?, ?, ?, 1, 0)");
const insertAlias = db.prepare("INSERT INTO aliases VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, NULL, 1)");
const findAlias = db.prepare("SELECT * FROM aliases WHERE account = ? AND id = ?");
const findPage = db.prepare(`
  SELECT *, (
    SELECT json_group_array(r.email ORDER BY e.key)
    FROM json_each(recipients) AS e CROSS JOIN recipients AS r ON r.account = a.account AND r.id = e.value
  ) AS emails
  FROM aliases AS a WHERE account = ? AND deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?
`);
const findRecipient = db.prepare(
  "SELECT email, verified_at, active FROM recipients WHERE account = ? AND id = ?",
);
const attach = db.prepare("UPDATE recipients SET attached = attached + ? WHERE account = ? AND id = ?");
const update = db.prepare(
  "UPDATE aliases SET recipients = ?, updated_at = ?, version = version + 1 WHERE account = ? AND id = ?",
);
const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");
const rollback = db.prepare("ROLLBACK");

begin.run();
for (const { account, id, email, verified } of recipientsOf(setup.fixture)) {
  insertRecipient.run(account, id, email, verified ? CREATED_AT : null);
}
for (const alias of aliasesOf(setup.fixture)) {
  const { account, id, email, description, recipients } = alias;
  const ids = JSON.stringify(recipients.map((recipient) => recipient.id));
  const tallies = JSON.stringify(
    Object.fromEntries(
      Object.entries(aliasJson(alias)).filter(([name]) => /^(emails|datetime_last)_/.test(name)),
    ),
  );
  insertAlias.run(account, id, email, description, ids, tallies, CREATED_AT, CREATED_AT);
  for (const recipient of recipients) attach.run(1, account, recipient.id);
}
commit.run();

const jsonOf = (row: AliasRow, emails: readonly string[]): AliasJson => {
  const tallies: Tallies = JSON.parse(row.tallies);
  return {
    alias_id: row.id,
    alias_email: row.email,
    description: row.description,
    active: row.active === 1,
    destination_emails: emails,
    ...tallies,
    datetime_created: row.created_at,
    datetime_updated: row.updated_at,
    datetime_deleted: row.deleted_at,
  };
};

const inTransaction = (account: string, id: string, requested: readonly string[]): Replaced => {
  // The table is only ever written above and below.
  const row = findAlias.get(account, id) as AliasRow | undefined;
  if (row === undefined) return { failure: "not_found" };
  if (row.deleted_at !== null) return { failure: "deleted" };
  const ids = [...new Set(requested)];
  const emails: string[] = [];
  const ineligible: string[] = [];
  for (const each of ids) {
    const recipient = findRecipient.get(account, each) as RecipientRow | undefined;
    if (recipient !== undefined && recipient.verified_at !== null && recipient.active === 1)
      emails.push(recipient.email);
    else ineligible.push(each);
  }
  if (ineligible.length > 0) return { failure: "ineligible", ids: ineligible };
  const list = JSON.stringify(ids);
  let { updated_at: updatedAt, version } = row;
  if (list !== row.recipients) {
    const before: readonly string[] = JSON.parse(row.recipients);
    for (const each of before) if (!ids.includes(each)) attach.run(-1, account, each);
    for (const each of ids) if (!before.includes(each)) attach.run(1, account, each);
    updatedAt = Date.now();
    version += 1;
    update.run(list, updatedAt, account, id);
  }
  return { version, json: jsonOf({ ...row, updated_at: updatedAt }, emails) };
};

await serveBare(setup, {
  replace: (account, id, ids) => {
    begin.run();
    try {
      const replaced = inTransaction(account, id, ids);
      commit.run();
      return replaced;
    } catch (thrown) {
      rollback.run();
      throw thrown;
    }
  },
  list: (account, limit, after) => {
    // Above every id.
    const rows = findPage.all(account, after ?? "~", limit + 1) as (AliasRow & { readonly emails: string })[];
    const aliases = rows.slice(0, limit).map((row) => jsonOf(row, JSON.parse(row.emails)));
    return { aliases, next: rows.length > limit ? (aliases.at(-1)?.alias_id ?? null) : null };
  },
});
