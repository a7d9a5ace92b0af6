import { type Alias, type Aliases, AliasFilter } from "@postern/core";
import { err, ok, Result } from "neverthrow";
import { AliasItem, newAddressItem, newAliasItem } from "./alias-item.ts";
import { attach } from "./attachment-writes.ts";
import { type Database, orConflict, read, transact, understand } from "./database.ts";
import { pageOf, type Selection } from "./pages.ts";
import { RecipientItem } from "./recipient-item.ts";
import { recordOutcome } from "./record-outcome.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, Shelf } from "./table.ts";

const selection = (filter: AliasFilter): Selection<Alias> => ({
  atOnce: {
    expression: `attribute_type(deletedAt, :deleted)${filter.active === undefined ? "" : " AND active = :active"}`,
    values: {
      ":deleted": filter.deleted ? "N" : "NULL",
      ...(filter.active === undefined ? {} : { ":active": filter.active }),
    },
  },
  matches: (alias) => AliasFilter.matches(alias, filter),
});

export const dynamoAliases = (database: Database, now: () => number): Aliases => {
  const { table } = database;
  const putNew = (item: Readonly<Record<string, unknown>>) => ({
    Put: { TableName: table, Item: item, ConditionExpression: "attribute_not_exists(pk)" },
  });

  return {
    findWithRecipients: async (account, id, recipients) => {
      const own = [...new Set(recipients)].map((recipient) => Key.recipient(account, recipient));
      const items = await read(database, [Key.alias(account, id), ...own], deadline(database));
      if (items.isErr()) return err(items.error);
      const [aliasItem, ...others] = items.value;
      const alias = aliasItem === undefined ? ok(null) : understand(database, AliasItem, aliasItem);
      if (alias.isErr()) return err(alias.error);
      const present = others.filter((item) => item !== undefined);
      return Result.combine(present.map((item) => understand(database, RecipientItem, item))).map(
        (found) => ({ alias: alias.value, recipients: found }),
      );
    },

    list: (account, request, filter) =>
      pageOf(database, AliasItem, Shelf.aliases(account), request, selection(filter)),

    create: async (alias) => {
      const kept = await transact(database, [
        putNew(newAliasItem(alias)),
        putNew(newAddressItem(alias)),
        ...attach(table, null, alias),
      ]);
      if (kept.isOk()) return ok();
      if (kept.error.code === "unavailable") return err(kept.error);
      const [idInUse, addressTaken] = kept.error.refused;
      return err({ code: addressTaken && !idInUse ? "address_taken" : "conflict" });
    },

    save: async (before, after) =>
      orConflict(
        await transact(database, [
          {
            Update: {
              TableName: table,
              Key: { ...Key.alias(before.account, before.id) },
              UpdateExpression:
                "SET description = :description, active = :active, destinations = :destinations, updatedAt = :updatedAt, deletedAt = :deletedAt, version = :version",
              ConditionExpression: "version = :before",
              ExpressionAttributeValues: {
                ":before": before.version,
                ":description": after.description,
                ":active": after.active,
                ":destinations": after.destinations,
                ":updatedAt": after.updatedAt,
                ":deletedAt": after.deletedAt,
                ":version": after.version,
              },
            },
          },
          ...attach(table, before, after),
        ]),
      ),

    recordOutcome: recordOutcome(database, now),
  };
};
