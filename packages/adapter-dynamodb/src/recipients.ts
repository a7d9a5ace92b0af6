import {
  type AccountId,
  Recipient,
  type RecipientId,
  type Recipients,
  type Unavailable,
} from "@postern/core";
import { err, ok, Result } from "neverthrow";
import { type Database, orConflict, read, transact, understand } from "./database.ts";
import { pageOf } from "./pages.ts";
import { newRecipientAddressItem, newRecipientItem, RecipientItem } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, Shelf } from "./table.ts";

export const dynamoRecipients = (database: Database): Recipients => {
  const { table } = database;
  const at = (key: Key) => ({ TableName: table, Key: { ...key } });

  const findAll = async (
    account: AccountId,
    ids: readonly RecipientId[],
  ): Promise<Result<readonly Recipient[], Unavailable>> => {
    const keys = [...new Set(ids)].map((id) => Key.recipient(account, id));
    const items = await read(database, keys, deadline(database));
    if (items.isErr()) return err(items.error);
    const present = items.value.filter((item) => item !== undefined);
    return Result.combine(present.map((item) => understand(database, RecipientItem, item)));
  };

  return {
    find: async (account, id) => (await findAll(account, [id])).map(([recipient]) => recipient ?? null),

    findAll,

    list: (account, request) =>
      pageOf(database, RecipientItem, Shelf.recipients(account), request, { matches: () => true }),

    create: async (recipient) => {
      const kept = await transact(database, [
        {
          Put: {
            TableName: table,
            Item: newRecipientItem(recipient),
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
        {
          Put: {
            TableName: table,
            Item: newRecipientAddressItem(recipient),
            ConditionExpression: "attribute_not_exists(pk)",
          },
        },
      ]);
      if (kept.isOk()) return ok();
      if (kept.error.code === "unavailable") return err(kept.error);
      const [idInUse] = kept.error.refused;
      return err({ code: idInUse ? "conflict" : "address_taken" });
    },

    save: async (before, after) => {
      const free = Recipient.ineligibility(after) === null ? "" : " AND attached = :none";
      return orConflict(
        await transact(database, [
          {
            Update: {
              ...at(Key.recipient(before.account, before.id)),
              UpdateExpression:
                "SET verifiedAt = :verifiedAt, active = :active, nonce = :nonce, mailedAt = :mailedAt, updatedAt = :updatedAt, version = :version",
              ConditionExpression: `version = :before${free}`,
              ExpressionAttributeValues: {
                ":before": before.version,
                ":verifiedAt": after.verifiedAt,
                ":active": after.active,
                ":nonce": after.nonce,
                ":mailedAt": after.mailedAt,
                ":updatedAt": after.updatedAt,
                ":version": after.version,
                ...(free === "" ? {} : { ":none": 0 }),
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
