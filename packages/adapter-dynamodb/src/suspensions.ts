import { type AccountId, err, ok, parseAccountId } from "@postern/core";
import type { Suspensions } from "@postern/core/store";
import * as z from "zod";
import { unavailable } from "./cause.ts";
import { type Database, readOne, transact, type Write } from "./database.ts";
import { decode, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

type Suspension = { readonly account: AccountId; readonly since: number };

const Since = z.int().nonnegative();

const parseSuspensionItem = keyedItemParser<Suspension>(
  (item) => {
    const { data: since } = Since.safeParse(item["since"]);
    if (since === undefined) return err({ code: "corrupt" });
    return parseAccountId(item["account"]).map((account) => ({ account, since }));
  },
  ({ account }) => Key.suspension(account),
);

/** Refused if the account is already suspended, since that time or an earlier one. */
const putSuspension = (table: string, { account, since }: Suspension): Write => ({
  Put: {
    TableName: table,
    Item: { ...Key.suspension(account), schema: SCHEMA, account, since },
    ConditionExpression: "attribute_not_exists(pk) OR since > :since",
    ExpressionAttributeValues: { ":since": since },
  },
});

export const dynamoSuspensions = (database: Database): Suspensions => ({
  find: async (account, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const item = await readOne(database, Key.suspension(account), signal);
    if (item.isErr()) return err(item.error);
    if (item.value === undefined) return ok(null);
    return decode(database, parseSuspensionItem, item.value).map(({ since }) => since);
  },

  suspend: async (account, since, timeLeft) => {
    const writes = [putSuspension(database.table, { account, since })];
    const written = await transact(database, writes, deadline(database.timeoutMs, timeLeft));
    return written.orElse((error) => (error.code === "refused" ? ok() : err(error)));
  },

  resume: async (account, timeLeft) => {
    const key = { ...Key.suspension(account) };
    const writes = [{ Delete: { TableName: database.table, Key: key } }];
    const written = await transact(database, writes, deadline(database.timeoutMs, timeLeft));
    return written.mapErr((error) =>
      error.code === "refused" ? unavailable("a deletion without a condition was refused") : error,
    );
  },
});
