import {
  type AccountId,
  type AccountLimits,
  type AddressTaken,
  type Conflict,
  err,
  ok,
  Recipient,
  type RecipientId,
  type Result,
  type TooManyRecipients,
  type TooManyUnverifiedRecipients,
} from "@postern/core";
import { pageOf, type Recipients } from "@postern/core/store";
import type { Database } from "./database.ts";
import { exceeds } from "./limits.ts";
import { recipientOf, recipientTable } from "./recipient-table.ts";

/** The recipients that exist, each once. */
export const findRecipients = (
  { sql }: Database,
  account: AccountId,
  ids: readonly RecipientId[],
): readonly Recipient[] => {
  const find = sql("SELECT * FROM recipients WHERE account = ? AND id = ?");
  return [...new Set(ids)].flatMap((id) => find.all(account, id)).map(recipientOf);
};

/** To be called in a transaction, which must be undone if this is refused. */
export const createRecipient = (
  database: Database,
  recipient: Recipient,
  { recipients, unverifiedRecipients }: Pick<AccountLimits, "recipients" | "unverifiedRecipients">,
): Result<void, Conflict | AddressTaken | TooManyRecipients | TooManyUnverifiedRecipients> => {
  const { account, id } = recipient;
  const { changes } = database.sql(recipientTable.insert).run(recipientTable.inserted(recipient));
  if (changes === 0) {
    const idInUse = findRecipients(database, account, [id]).length > 0;
    return err({ code: idInUse ? "conflict" : "address_taken" });
  }
  if (exceeds(database, account, "recipients", recipients)) {
    return err({ code: "too_many_recipients", limit: recipients });
  }
  const unverified = recipient.verifiedAt === null;
  return unverified && exceeds(database, account, "unverifiedRecipients", unverifiedRecipients)
    ? err({ code: "too_many_unverified_recipients", limit: unverifiedRecipients })
    : ok();
};

export const sqliteRecipients = (database: Database): Recipients => {
  const { sql, attempt, transact, erase } = database;
  return {
    find: (account, id, timeLeft) =>
      attempt(account, timeLeft, () => ok(findRecipients(database, account, [id])[0] ?? null)),

    findAll: (account, ids, timeLeft) =>
      attempt(account, timeLeft, () => ok(findRecipients(database, account, ids))),

    list: (account, { limit, after }, timeLeft) =>
      attempt(account, timeLeft, () => {
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
        return ok(pageOf(found.map(recipientOf), limit, ({ id }) => id));
      }),

    create: (recipient, limits, timeLeft) =>
      transact(recipient.account, timeLeft, () => createRecipient(database, recipient, limits)),

    save: (before, after, timeLeft) =>
      transact(before.account, timeLeft, () => {
        const { changes } = sql(`${recipientTable.update} AND (attached = 0 OR :eligible)`).run({
          ...recipientTable.updated(before, after),
          eligible: Number(Recipient.ineligibility(after) === null),
        });
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    remove: ({ account, id, version }, timeLeft) =>
      erase(account, timeLeft, () => {
        const { changes } = sql(
          "DELETE FROM recipients WHERE account = ? AND id = ? AND version = ? AND attached = 0",
        ).run(account, id, version);
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),
  };
};
