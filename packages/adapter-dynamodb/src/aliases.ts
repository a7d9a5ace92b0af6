import {
  type Alias,
  type Aliases,
  AliasFilter,
  type AliasSettings,
  attachments,
  err,
  ok,
} from "@postern/core";
import { newAddressItem } from "./address-item.ts";
import { newAliasItem, parseAliasItem } from "./alias-item.ts";
import { attachmentWrites } from "./attachment-writes.ts";
import { type Database, orConflict, putNew, read, transact } from "./database.ts";
import { eraseAlias } from "./erase-alias.ts";
import { findByEmail } from "./find-by-email.ts";
import { decode, decodeAll } from "./item.ts";
import { pageOf, type Selection } from "./pages.ts";
import { parseRecipientItem } from "./recipient-item.ts";
import { recordOutcome } from "./record-outcome.ts";
import { listRetiredAddresses, retireAddress } from "./retired-addresses.ts";
import { deadline } from "./send-until-deadline.ts";
import { settingsUpdate } from "./settings-update.ts";
import { Key, KeyRange } from "./table.ts";
import { addCounted, Counted } from "./usage.ts";

const settings = settingsUpdate<AliasSettings>({
  description: true,
  active: true,
  destinations: true,
  updatedAt: true,
  deletedAt: true,
  version: true,
});

const selection = (filter: AliasFilter): Selection<Alias> => ({
  filter: {
    expression: `attribute_type(deletedAt, :deleted)${filter.active === undefined ? "" : " AND active = :active"}`,
    values: {
      ":deleted": filter.deleted ? "N" : "NULL",
      ...(filter.active === undefined ? {} : { ":active": filter.active }),
    },
  },
  matches: AliasFilter.matching(filter),
});

export const dynamoAliases = (database: Database, now: () => number): Aliases => {
  const { table } = database;

  return {
    findWithRecipients: async (account, id, recipients, timeLeft) => {
      const keys = [...new Set(recipients)].map((recipient) => Key.recipient(account, recipient));
      const signal = deadline(database.timeoutMs, timeLeft);
      const items = await read(database, [Key.alias(account, id), ...keys], signal);
      if (items.isErr()) return err(items.error);
      const [aliasItem, ...others] = items.value;
      const alias = aliasItem === undefined ? ok(null) : decode(database, parseAliasItem, aliasItem);
      if (alias.isErr()) return err(alias.error);
      const present = others.filter((item) => item !== undefined);
      return decodeAll(database, parseRecipientItem, present).map((found) => ({
        alias: alias.value,
        recipients: found,
      }));
    },

    findByEmail: findByEmail(database),

    list: (account, request, filter, timeLeft) =>
      pageOf(database, parseAliasItem, KeyRange.aliases(account), request, selection(filter), timeLeft),

    create: async (alias, { aliases: limit }, timeLeft) => {
      const addition = {
        counted: Counted.aliases(alias.account),
        change: { total: 1, unverified: 0 },
        limits: { total: limit, unverified: 0 },
      };
      const signal = deadline(database.timeoutMs, timeLeft);
      const writes = [
        putNew(table, newAliasItem(alias)),
        putNew(table, newAddressItem(alias)),
        ...attachmentWrites(table, alias.account, attachments(null, alias)),
      ];
      const created = await addCounted(database, addition, writes, signal);
      if (created.isOk()) return ok();
      if (created.error.code === "unavailable") return err(created.error);
      const { refused, reached } = created.error;
      const [idInUse, addressTaken] = refused;
      if (idInUse) return err({ code: "conflict" });
      if (addressTaken) return err({ code: "address_taken" });
      return err(reached === null ? { code: "conflict" } : { code: "too_many_aliases", limit });
    },

    save: async (before, after, timeLeft) =>
      orConflict(
        await transact(
          database,
          [
            {
              Update: {
                TableName: table,
                Key: { ...Key.alias(before.account, before.id) },
                ...settings.expression,
                ConditionExpression: "version = :before",
                ExpressionAttributeValues: { ...settings.values(after), ":before": before.version },
              },
            },
            ...attachmentWrites(table, before.account, attachments(before, after)),
          ],
          deadline(database.timeoutMs, timeLeft),
        ),
      ),

    recordOutcome: recordOutcome(database, now),

    erase: eraseAlias(database),

    retireAddress: retireAddress(database),

    listRetiredAddresses: listRetiredAddresses(database),
  };
};
