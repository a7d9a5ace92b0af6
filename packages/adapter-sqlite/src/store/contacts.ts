import { Contact, type EmailAddress, err, ok } from "@postern/core";
import { type AliasKey, type Contacts, pageOf, partsOfPosition, RecordedContacts } from "@postern/core/store";
import { contactOf, contactTable, NOTE, noted } from "./contact-table.ts";
import type { Database } from "./database.ts";

export const sqliteContacts = ({ sql, attempt, transact }: Database): Contacts => {
  const stateOf = ({ account, id }: AliasKey): "alias_not_found" | "alias_deleted" | "live" => {
    const found = sql("SELECT deleted FROM aliases WHERE account = ? AND id = ?").get(account, id);
    if (found === undefined) return "alias_not_found";
    return found["deleted"] === 0 ? "live" : "alias_deleted";
  };

  /** The stored contacts of the alias with these addresses. */
  const storedOf = ({ account, id }: AliasKey, emails: readonly EmailAddress[]): readonly Contact[] => {
    const find = sql("SELECT * FROM contacts WHERE account = ? AND alias_id = ? AND email = ?");
    return emails.flatMap((email) => find.all(account, id, email)).map(contactOf);
  };

  const isIdInUse = (id: string): boolean => sql("SELECT 1 FROM contacts WHERE id = ?").get(id) !== undefined;

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

  return {
    record: async (alias, correspondents, { contacts: limit }, timeLeft) => {
      const start = performance.now();
      const recorded = RecordedContacts.of(alias, correspondents);
      const emails = recorded.map(({ email }) => email);
      // Usually there is nothing to write.
      const found = await attempt(alias.account, timeLeft, () => {
        const state = stateOf(alias);
        if (state !== "live") return err({ code: state });
        return ok(RecordedContacts.compare(recorded, storedOf(alias, emails)));
      });
      if (found.isErr()) return err(found.error);
      const { fresh, noted: changed, known } = found.value;
      if (fresh.length + changed.length === 0) return ok(RecordedContacts.result(correspondents, known));

      const left = timeLeft === undefined ? undefined : timeLeft - (performance.now() - start);
      return transact(alias.account, left, () => {
        const state = stateOf(alias);
        if (state !== "live") return err({ code: state });
        const now = RecordedContacts.compare(recorded, storedOf(alias, emails));
        for (const contact of now.noted) sql(NOTE).run(noted(contact));
        const storable = now.fresh.filter(({ id }) => !isIdInUse(id));
        const added = storable.length === 0 ? [] : makeRoom(alias, now.known, storable, limit);
        for (const contact of added) sql(contactTable.insert).run(contactTable.inserted(contact));
        return ok(RecordedContacts.result(correspondents, [...now.known, ...added]));
      });
    },

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
        if (stateOf({ account: before.account, id: before.alias }) !== "live")
          return err({ code: "conflict" });
        const { changes } = sql(contactTable.update).run(contactTable.updated(before, after));
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    create: (contact, timeLeft) =>
      transact(contact.account, timeLeft, () => {
        const state = stateOf({ account: contact.account, id: contact.alias });
        if (state === "alias_not_found") return err({ code: state });
        const { changes } = sql(contactTable.insert).run(contactTable.inserted(contact));
        if (changes === 1) return ok();
        return err({ code: isIdInUse(contact.id) ? "conflict" : "address_taken" });
      }),
  };
};
