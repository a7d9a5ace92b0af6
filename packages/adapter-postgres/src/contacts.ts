import {
  type AddressTaken,
  type AliasDeleted,
  type AliasNotFound,
  type Conflict,
  Contact,
  EmailAddress,
  err,
  ok,
  Sender,
} from "@postern/core";
import { type Contacts, pageOf, partsOfPosition, RecordedContacts } from "@postern/core/store";
import { ALIAS_STATE, stateOf } from "./alias-row.ts";
import { CONTENDED, unavailable } from "./cause.ts";
import { assignments, namesOf, placeholders, valuesOf } from "./columns.ts";
import { CONTACT, contactColumns, contactOf, settingColumns } from "./contact-row.ts";
import type { Database, Refusal } from "./database.ts";
import { remainingTime } from "./remaining-time.ts";
import type { Row } from "./row.ts";
import { query, statement } from "./statement.ts";

const FIND = statement("find_contact", `SELECT ${CONTACT} AS contact FROM contacts AS c WHERE id = $1`);

const HAVE_EMAILS = "account = $1 AND alias_id = $2 AND lower(email) = ANY ($3)";

const FIND_BY_EMAILS = statement(
  "find_contacts_by_emails",
  `SELECT ${CONTACT} AS contact FROM contacts AS c WHERE ${HAVE_EMAILS}`,
);

const FIND_MET = statement(
  "find_contacts_met",
  `SELECT (SELECT ${ALIAS_STATE} FROM aliases AS a WHERE account = $1 AND id = $2) AS alias, (
    SELECT json_agg(${CONTACT}) FROM contacts AS c WHERE ${HAVE_EMAILS}
  ) AS contacts,
  EXISTS (SELECT FROM blocked_senders WHERE account = $1 AND lower(sender) = ANY ($4)) AS blocked`,
);

/** No row if the alias is not live: until the end of the statement, nobody can delete it. */
const MEET = statement(
  "meet_contacts",
  `WITH alias AS MATERIALIZED (
    SELECT FROM aliases WHERE account = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
  )
  SELECT postern_meet_contacts($1, $2, $3, $4, $5, $6) AS stored FROM alias`,
);

const listing = (condition: string) =>
  `SELECT ${CONTACT} AS contact FROM contacts AS c WHERE account = $1 AND alias_id = $2 ${condition}
  ORDER BY created_at DESC, id DESC LIMIT $3`;
const LIST = statement("list_contacts", listing(""));
const LIST_AFTER = statement("list_contacts_after", listing("AND (created_at, id) < ($4, $5)"));

const LIST_OF_ACCOUNT = statement(
  "list_contacts_of_account",
  `SELECT ${CONTACT} AS contact FROM contacts AS c WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3`,
);

const SAVE = statement(
  "save_contact",
  `WITH alias AS MATERIALIZED (
    SELECT FROM aliases WHERE account = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE
  )
  UPDATE contacts SET ${assignments(namesOf(settingColumns), 5)} FROM alias
  WHERE account = $1 AND alias_id = $2 AND id = $3 AND version = $4 RETURNING 1`,
);

const names = namesOf(contactColumns);
const CREATE = statement(
  "create_contact",
  `INSERT INTO contacts (${names.join(", ")}) VALUES (${placeholders(names.length).join(", ")})`,
);

const CONFLICT: Conflict = { code: "conflict" };

const CREATION_REFUSALS: Readonly<Record<string, AliasNotFound | AddressTaken | Conflict>> = {
  contact_has_alias: { code: "alias_not_found" },
  contacts_address: { code: "address_taken" },
  contacts_id: CONFLICT,
  contacts_pkey: CONFLICT,
};

const creationRefusal = ({ violated }: Refusal) =>
  violated === null ? CONFLICT : (CREATION_REFUSALS[violated] ?? null);

/** A concurrent transaction was in the way, or stored a contact with the id. */
const meetingRefusal = ({ violated }: Refusal) =>
  violated === null || violated === "contacts_id" || violated === "contacts_pkey" ? CONFLICT : null;

const contactsOf = (rows: readonly Row[]) => rows.map(({ contact }) => contactOf(contact));

/** How many attempts to make while others change the contacts of an alias between the read and the write of a recording. */
const MAX_ATTEMPTS = 8;

const meet =
  ({ run }: Database): Contacts["meet"] =>
  async ({ account, id }, { author, correspondents }, { contacts: limit }, timeLeft) => {
    const left = remainingTime(timeLeft);
    const recorded = RecordedContacts.of({ account, id }, correspondents);
    const keys = recorded.map(({ email }) => EmailAddress.key(email));
    const covering = author === null ? [] : Sender.keysOf(author);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await run(left(), query(FIND_MET, account, id, keys, covering), ([row]) => {
        const { alias = null, contacts, blocked } = row ?? {};
        if (alias === null) return err<never, AliasNotFound | AliasDeleted>({ code: "alias_not_found" });
        const state = stateOf(alias);
        if (state.deletedAt !== null)
          return err<never, AliasNotFound | AliasDeleted>({ code: "alias_deleted" });
        const stored = Array.isArray(contacts) ? contacts.map(contactOf) : [];
        return ok({ alias: state, isBlocked: blocked === true, stored });
      });
      if (found.isErr()) return err(found.error);
      const { stored: before, ...others } = found.value;
      const met = (contacts: readonly Contact[]) =>
        ok({ ...others, contacts: RecordedContacts.result(correspondents, contacts) });
      const { fresh, known, noted } = RecordedContacts.compare(recorded, before);
      // The usual case.
      if (fresh.length + noted.length === 0) return met(known);
      const stored = await run(
        left(),
        query(
          MEET,
          account,
          id,
          JSON.stringify(fresh),
          JSON.stringify(noted),
          known.map((contact) => contact.id),
          limit,
        ),
        ([row]) => ok(Array.isArray(row?.["stored"]) ? row["stored"] : null),
        meetingRefusal,
      );
      if (stored.isErr() && stored.error.code === "unavailable") return err(stored.error);
      const ids = stored.unwrapOr(null);
      if (ids === null) continue;
      return met([...known, ...fresh.filter((contact) => ids.includes(contact.id))]);
    }
    return err(unavailable(CONTENDED));
  };

export const postgresContacts = (database: Database): Contacts => {
  const { run } = database;
  return {
    record: async (alias, correspondents, limits, timeLeft) => {
      const met = await meet(database)(alias, { author: null, correspondents }, limits, timeLeft);
      return met.map(({ contacts }) => contacts);
    },

    meet: meet(database),

    find: (id, timeLeft) => run(timeLeft, query(FIND, id), (rows) => ok(contactsOf(rows)[0] ?? null)),

    findByEmails: ({ account, id }, emails, timeLeft) =>
      run(timeLeft, query(FIND_BY_EMAILS, account, id, emails.map(EmailAddress.key)), (rows) =>
        ok(contactsOf(rows)),
      ),

    list: ({ account, id }, { limit, after }, timeLeft) => {
      const from = after === null ? null : partsOfPosition(after);
      return run(
        timeLeft,
        from === null
          ? query(LIST, account, id, limit + 1)
          : query(LIST_AFTER, account, id, limit + 1, from.createdAt, from.id),
        (rows) => ok(pageOf(contactsOf(rows), limit, Contact.position)),
      );
    },

    listOfAccount: (account, { limit, after }) =>
      run(undefined, query(LIST_OF_ACCOUNT, account, after ?? "", limit + 1), (rows) =>
        ok(pageOf(contactsOf(rows), limit, ({ id }): string => id)),
      ),

    save: ({ account, alias, id, version }, after, timeLeft) =>
      run(
        timeLeft,
        query(SAVE, account, alias, id, version, ...valuesOf(settingColumns, after)),
        ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
        ({ violated }) => (violated === null ? CONFLICT : null),
      ),

    create: (contact, timeLeft) =>
      run(timeLeft, query(CREATE, ...valuesOf(contactColumns, contact)), () => ok(), creationRefusal),
  };
};
