import {
  type AccountId,
  err,
  ok,
  Recipient,
  type RecipientId,
  type RecipientSettings,
  type Recipients,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type Database, orConflict, putNew, read, transact } from "./database.ts";
import { decodeAll } from "./item.ts";
import { pageOf } from "./pages.ts";
import { newRecipientAddressItem, newRecipientItem, parseRecipientItem } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { settingsUpdate } from "./settings-update.ts";
import { Key, KeyRange } from "./table.ts";

const settings = settingsUpdate<RecipientSettings>({
  verifiedAt: true,
  active: true,
  nonce: true,
  mailedAt: true,
  updatedAt: true,
  version: true,
});

export const dynamoRecipients = (database: Database): Recipients => {
  const { table } = database;
  const at = (key: Key) => ({ TableName: table, Key: { ...key } });

  const findAll = async (
    account: AccountId,
    ids: readonly RecipientId[],
  ): Promise<Result<readonly Recipient[], Unavailable>> => {
    const keys = [...new Set(ids)].map((id) => Key.recipient(account, id));
    const items = await read(database, keys, deadline(database.timeoutMs));
    if (items.isErr()) return err(items.error);
    const present = items.value.filter((item) => item !== undefined);
    return decodeAll(database, parseRecipientItem, present);
  };

  return {
    find: async (account, id) => (await findAll(account, [id])).map(([recipient]) => recipient ?? null),

    findAll,

    list: (account, request) =>
      pageOf(database, parseRecipientItem, KeyRange.recipients(account), request, { matches: () => true }),

    create: async (recipient) => {
      const created = await transact(database, [
        putNew(table, newRecipientItem(recipient)),
        putNew(table, newRecipientAddressItem(recipient)),
      ]);
      if (created.isOk()) return ok();
      if (created.error.code === "unavailable") return err(created.error);
      const [idInUse] = created.error.refused;
      return err({ code: idInUse ? "conflict" : "address_taken" });
    },

    save: async (before, after) => {
      const detached = Recipient.ineligibility(after) === null ? "" : " AND attached = :none";
      return orConflict(
        await transact(database, [
          {
            Update: {
              ...at(Key.recipient(before.account, before.id)),
              ...settings.expression,
              ConditionExpression: `version = :before${detached}`,
              ExpressionAttributeValues: {
                ...settings.values(after),
                ":before": before.version,
                ...(detached === "" ? {} : { ":none": 0 }),
              },
            },
          },
        ]),
      );
    },

    remove: async ({ account, id, email, version }) =>
      orConflict(
        await transact(database, [
          {
            Delete: {
              ...at(Key.recipient(account, id)),
              ConditionExpression: "version = :version AND attached = :none",
              ExpressionAttributeValues: { ":version": version, ":none": 0 },
            },
          },
          {
            Delete: {
              ...at(Key.recipientAddress(account, email)),
              ConditionExpression: "recipient = :id",
              ExpressionAttributeValues: { ":id": id },
            },
          },
        ]),
      ),
  };
};
