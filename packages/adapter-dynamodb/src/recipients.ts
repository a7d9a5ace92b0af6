import {
  type AccountId,
  err,
  ok,
  Recipient,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { RecipientSettings, Recipients } from "@postern/core/store";
import { type Database, orConflict, putNew, read, transact, type Write } from "./database.ts";
import { decodeAll } from "./item.ts";
import { pageOf } from "./pages.ts";
import { newRecipientAddressItem, newRecipientItem, parseRecipientItem } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { settingsUpdate } from "./settings-update.ts";
import { Key, KeyRange } from "./table.ts";
import { addCounted, Counted, changeCounted } from "./usage.ts";

const settings = settingsUpdate<RecipientSettings>({
  verifiedAt: true,
  active: true,
  defaultSince: true,
  nonce: true,
  verificationSentAt: true,
  verificationDelivery: true,
  updatedAt: true,
  version: true,
});

const ALL = { matches: () => true };

const unverifiedCount = ({ verifiedAt }: Recipient): 0 | 1 => (verifiedAt === null ? 1 : 0);

export const dynamoRecipients = (database: Database): Recipients => {
  const { table } = database;
  const at = (key: Key) => ({ TableName: table, Key: { ...key } });

  const findAll = async (
    account: AccountId,
    ids: readonly RecipientId[],
    timeLeft?: number,
  ): Promise<Result<readonly Recipient[], Unavailable>> => {
    const keys = [...new Set(ids)].map((id) => Key.recipient(account, id));
    const items = await read(database, keys, deadline(database.timeoutMs, timeLeft));
    if (items.isErr()) return err(items.error);
    const present = items.value.filter((item) => item !== undefined);
    return decodeAll(database, parseRecipientItem, present);
  };

  return {
    find: async (account, id, timeLeft) =>
      (await findAll(account, [id], timeLeft)).map(([recipient]) => recipient ?? null),

    findAll,

    list: (account, request, timeLeft) =>
      pageOf(
        database,
        parseRecipientItem,
        KeyRange.recipients(account),
        request,
        ALL,
        deadline(database.timeoutMs, timeLeft),
      ),

    create: async (recipient, limits, timeLeft) => {
      const unverified = unverifiedCount(recipient);
      const addition = {
        counted: Counted.recipients(recipient.account),
        change: { total: 1, unverified },
        limits: { total: limits.recipients, unverified: unverified && limits.unverifiedRecipients },
      };
      const writes = [
        putNew(table, newRecipientItem(recipient)),
        putNew(table, newRecipientAddressItem(recipient)),
      ];
      const signal = deadline(database.timeoutMs, timeLeft);
      const created = await addCounted(database, addition, writes, signal);
      if (created.isOk()) return ok();
      if (created.error.code === "unavailable") return err(created.error);
      const { refused, reached } = created.error;
      const [idInUse, addressTaken] = refused;
      if (idInUse) return err({ code: "conflict" });
      if (addressTaken || reached === null) return err({ code: "address_taken" });
      return err(
        reached === "total"
          ? { code: "too_many_recipients", limit: limits.recipients }
          : { code: "too_many_unverified_recipients", limit: limits.unverifiedRecipients },
      );
    },

    save: async (before, after, timeLeft) => {
      const detached = Recipient.ineligibility(after) === null ? "" : " AND attached = :none";
      const save: Write = {
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
      };
      const unverified = unverifiedCount(after) - unverifiedCount(before);
      const signal = deadline(database.timeoutMs, timeLeft);
      return orConflict(
        unverified === 0
          ? await transact(database, [save], signal)
          : await changeCounted(
              database,
              Counted.recipients(before.account),
              { total: 0, unverified },
              [save],
              signal,
            ),
      );
    },

    remove: async (recipient, timeLeft) => {
      const { account, id, email, version } = recipient;
      const change = { total: -1, unverified: -unverifiedCount(recipient) };
      return orConflict(
        await changeCounted(
          database,
          Counted.recipients(account),
          change,
          [
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
          ],
          deadline(database.timeoutMs, timeLeft),
        ),
      );
    },
  };
};
