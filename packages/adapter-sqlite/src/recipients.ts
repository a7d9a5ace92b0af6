import { type AccountId, Recipient, type RecipientId, type Recipients } from "@postern/core";
import { err, ok } from "neverthrow";
import type { Database } from "./database.ts";
import { pageOf } from "./page.ts";
import { recipientOf } from "./rows.ts";

/** Those of the recipients that exist, each once. */
export const findRecipients = (
  { sql }: Database,
  account: AccountId,
  ids: readonly RecipientId[],
): readonly Recipient[] => {
  const find = sql("SELECT * FROM recipients WHERE account = ? AND id = ?");
  return [...new Set(ids)].flatMap((id) => find.all(account, id)).map(recipientOf);
};

/** What saving sets. All else either never changes or is counted by the file itself. */
const settingsOf = (recipient: Recipient) => ({
  account: recipient.account,
  id: recipient.id,
  verifiedAt: recipient.verifiedAt,
  active: Number(recipient.active),
  nonce: recipient.nonce,
  mailedAt: JSON.stringify(recipient.mailedAt),
  updatedAt: recipient.updatedAt,
  version: recipient.version,
});

export const sqliteRecipients = (database: Database): Recipients => {
  const { sql, attempt, transact } = database;
  return {
    find: async (account, id) => attempt(() => ok(findRecipients(database, account, [id])[0] ?? null)),

    findAll: async (account, ids) => attempt(() => ok(findRecipients(database, account, ids))),

    list: async (account, { limit, after }) =>
      attempt(() => {
        const found =
          after === null
            ? sql("SELECT * FROM recipients WHERE account = ? ORDER BY id DESC LIMIT ?").all(
                account,
                limit + 1,
              )
            : sql("SELECT * FROM recipients WHERE account = ? AND id < ? ORDER BY id DESC LIMIT ?").all(
                account,
                after,
                limit + 1,
              );
        return ok(pageOf(found.map(recipientOf), limit));
      }),

    create: async (recipient) =>
      transact(() => {
        const { account, id, email, createdAt } = recipient;
        const { changes } = sql(`
          INSERT INTO recipients
            (account, id, email, verified_at, active, nonce, mailed_at, created_at, updated_at, version)
          VALUES
            (:account, :id, :email, :verifiedAt, :active, :nonce, :mailedAt, :createdAt, :updatedAt, :version)
          ON CONFLICT DO NOTHING`).run({ ...settingsOf(recipient), email, createdAt });
        if (changes === 1) return ok();
        const idInUse = findRecipients(database, account, [id]).length > 0;
        return err({ code: idInUse ? "conflict" : "address_taken" });
      }),

    save: async (before, after) =>
      transact(() => {
        const { changes } = sql(`
          UPDATE recipients SET verified_at = :verifiedAt, active = :active, nonce = :nonce, mailed_at = :mailedAt,
            updated_at = :updatedAt, version = :version
          WHERE account = :account AND id = :id AND version = :stored AND (attached = 0 OR :eligible)`).run({
          ...settingsOf({ ...after, account: before.account, id: before.id }),
          stored: before.version,
          eligible: Number(Recipient.ineligibility(after) === null),
        });
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    remove: async ({ account, id, version }) =>
      transact(() => {
        const { changes } = sql(
          "DELETE FROM recipients WHERE account = ? AND id = ? AND version = ? AND attached = 0",
        ).run(account, id, version);
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),
  };
};
