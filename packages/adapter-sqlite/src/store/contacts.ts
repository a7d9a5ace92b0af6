import {
  type AccountId,
  type AddressTaken,
  type AliasDeleted,
  type AliasNotFound,
  type AliasState,
  type Conflict,
  Contact,
  type Domain,
  type EmailAddress,
  err,
  ok,
  type Result,
  Sender,
} from "@postern/core";
import {
  type AliasKey,
  type Contacts,
  type Met,
  pageOf,
  partsOfPosition,
  RecordedContacts,
} from "@postern/core/store";
import { ALIAS_STATE, stateOf } from "./alias-table.ts";
import { contactOf, contactTable, NOTE, noted } from "./contact-table.ts";
import type { Database } from "./database.ts";

const requireLive = (
  { sql }: Database,
  { account, id }: AliasKey,
): Result<void, AliasNotFound | AliasDeleted> => {
  const found = sql("SELECT deleted FROM aliases WHERE account = ? AND id = ?").get(account, id);
  if (found === undefined) return err({ code: "alias_not_found" });
  return found["deleted"] === 0 ? ok() : err({ code: "alias_deleted" });
};

const isIdInUse = ({ sql }: Database, id: string): boolean =>
  sql("SELECT 1 FROM contacts WHERE id = ?").get(id) !== undefined;

/** To be called in a transaction. */
export const createContact = (
  database: Database,
  contact: Contact,
): Result<void, AliasNotFound | AddressTaken | Conflict> => {
  const owner = requireLive(database, { account: contact.account, id: contact.alias });
  if (owner.isErr() && owner.error.code === "alias_not_found") return err(owner.error);
  const { changes } = database.sql(contactTable.insert).run(contactTable.inserted(contact));
  if (changes === 1) return ok();
  return err({ code: isIdInUse(database, contact.id) ? "conflict" : "address_taken" });
};

export const sqliteContacts = (database: Database): Contacts => {
  const { sql, attempt, transact } = database;

  const findLive = ({ account, id }: AliasKey): Result<AliasState, AliasNotFound | AliasDeleted> => {
    const found = sql(`SELECT ${ALIAS_STATE} FROM aliases AS a WHERE account = ? AND id = ?`).get(
      account,
      id,
    );
    if (found === undefined) return err({ code: "alias_not_found" });
    const alias = stateOf(found);
    return alias.deletedAt === null ? ok(alias) : err({ code: "alias_deleted" });
  };

  const isBlocked = (account: AccountId, author: EmailAddress | Domain): boolean =>
    sql(`
      SELECT 1 FROM blocked_senders WHERE account = ? AND sender IN (SELECT value FROM json_each(?))
      LIMIT 1`).get(account, JSON.stringify(Sender.keysOf(author))) !== undefined;

  /** The stored contacts of the alias with these addresses. */
  const storedOf = ({ account, id }: AliasKey, emails: readonly EmailAddress[]): readonly Contact[] => {
    const find = sql("SELECT * FROM contacts WHERE account = ? AND alias_id = ? AND email = ?");
    return emails.flatMap((email) => find.all(account, id, email)).map(contactOf);
  };

  /** Evicts others to make room for new contacts of the alias, and returns those that there is room for. */
  const makeRoom = (
    { account, id: alias }: AliasKey,
    known: readonly Contact[],
    fresh: readonly Contact[],
    limit: number,
  ): readonly Contact[] => {
    const count = "SELECT count(*) AS n FROM contacts WHERE account = ? AND alias_id = ?";
    const since = RecordedContacts.hourBefore(fresh);
    const named = sql(`${count} AND only_named = 1 AND created_at > ?`).get(account, alias, since);
    const wanted = RecordedContacts.withFewNamed(fresh, Number(named?.["n"]));
    const excess = limit === 0 ? 0 : Number(sql(count).get(account, alias)?.["n"]) + wanted.length - limit;
    if (excess <= 0) return wanted;
    const others = sql(`
      SELECT * FROM contacts
      WHERE account = :account AND alias_id = :alias
        AND blocking = 'none' AND added_at IS NULL AND last_sent_at IS NULL
        AND id NOT IN (SELECT value FROM json_each(:known))
      ORDER BY only_named DESC, last_received_at LIMIT :excess`).all({
      account,
      alias,
      known: JSON.stringify(known.map(({ id }) => id)),
      excess,
    });
    const { added, leaving } = RecordedContacts.makeRoom(wanted, others.map(contactOf), excess);
    for (const { id } of leaving) sql("DELETE FROM contacts WHERE account = ? AND id = ?").run(account, id);
    return added;
  };

  const meet: Contacts["meet"] = async (alias, { author, correspondents }, { contacts: limit }, timeLeft) => {
    const start = performance.now();
    const recorded = RecordedContacts.of(alias, correspondents);
    const emails = recorded.map(({ email }) => email);
    const find = () =>
      findLive(alias).map((state) => ({
        compared: RecordedContacts.compare(recorded, storedOf(alias, emails)),
        met: (contacts: readonly Contact[]): Met => ({
          alias: state,
          contacts: RecordedContacts.result(correspondents, contacts),
          isBlocked: author !== null && isBlocked(alias.account, author),
        }),
      }));
    // Usually there is nothing to write.
    const found = await attempt(alias.account, timeLeft, () =>
      find().map(({ compared: { fresh, known, noted: changed }, met }) =>
        fresh.length + changed.length === 0 ? met(known) : null,
      ),
    );
    if (found.isErr()) return err(found.error);
    if (found.value !== null) return ok(found.value);

    const left = timeLeft === undefined ? undefined : timeLeft - (performance.now() - start);
    return transact(alias.account, left, () =>
      find().map(({ compared: now, met }) => {
        for (const contact of now.noted) sql(NOTE).run(noted(contact));
        const storable = now.fresh.filter(({ id }) => !isIdInUse(database, id));
        const added = storable.length === 0 ? [] : makeRoom(alias, now.known, storable, limit);
        for (const contact of added) sql(contactTable.insert).run(contactTable.inserted(contact));
        return met([...now.known, ...added]);
      }),
    );
  };

  return {
    record: async (alias, correspondents, limits, timeLeft) => {
      const met = await meet(alias, { author: null, correspondents }, limits, timeLeft);
      return met.map(({ contacts }) => contacts);
    },

    meet,

    find: (id, timeLeft) =>
      attempt(null, timeLeft, () => {
        const found = sql("SELECT * FROM contacts WHERE id = ?").get(id);
        return ok(found === undefined ? null : contactOf(found));
      }),

    findByEmails: (alias, emails, timeLeft) =>
      attempt(alias.account, timeLeft, () => ok(storedOf(alias, emails))),

    list: ({ account, id }, { limit, after }, timeLeft) =>
      attempt(account, timeLeft, () => {
        const own = "SELECT * FROM contacts WHERE account = ? AND alias_id = ?";
        const order = "ORDER BY created_at DESC, id DESC LIMIT ?";
        const from = after === null ? null : partsOfPosition(after);
        const found =
          from === null
            ? sql(`${own} ${order}`).all(account, id, limit + 1)
            : sql(`${own} AND (created_at, id) < (?, ?) ${order}`).all(
                account,
                id,
                from.createdAt,
                from.id,
                limit + 1,
              );
        return ok(pageOf(found.map(contactOf), limit, Contact.position));
      }),

    listOfAccount: (account, { limit, after }) =>
      attempt(account, undefined, () => {
        const found = sql("SELECT * FROM contacts WHERE account = ? AND id > ? ORDER BY id LIMIT ?").all(
          account,
          after ?? "",
          limit + 1,
        );
        return ok(pageOf(found.map(contactOf), limit, ({ id }): string => id));
      }),

    save: (before, after, timeLeft) =>
      transact(before.account, timeLeft, () => {
        if (requireLive(database, { account: before.account, id: before.alias }).isErr()) {
          return err({ code: "conflict" });
        }
        const { changes } = sql(contactTable.update).run(contactTable.updated(before, after));
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    create: (contact, timeLeft) =>
      transact(contact.account, timeLeft, () => createContact(database, contact)),
  };
};
