import { randomUUID } from "node:crypto";
import { type ApiKey, type Conflict, err, MAX_API_KEYS, ok, type TooManyApiKeys } from "@postern/core";
import type { ApiKeys } from "@postern/core/store";
import { apiKeyLead, apiKeysItem, parseApiKeyLead } from "./api-keys-item.ts";
import { type Database, putNew, readOne, updateIf } from "./database.ts";
import { decode } from "./item.ts";
import { changeList, readList } from "./list-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

export const dynamoApiKeys = (database: Database): ApiKeys => ({
  create: (apiKey, timeLeft) =>
    changeList<ApiKey, Conflict | TooManyApiKeys>(
      database,
      apiKeysItem,
      apiKey.account,
      (apiKeys) => {
        if (apiKeys.some(({ id }) => id === apiKey.id)) return err({ code: "conflict" });
        if (apiKeys.length >= MAX_API_KEYS) return err({ code: "too_many_api_keys", limit: MAX_API_KEYS });
        return ok({
          after: [...apiKeys, apiKey],
          also: { write: putNew(database.table, apiKeyLead(apiKey)), refusal: { code: "conflict" } },
        });
      },
      deadline(database.timeoutMs, timeLeft),
    ),

  list: async (account, timeLeft) => {
    const stored = await readList(database, apiKeysItem, account, deadline(database.timeoutMs, timeLeft));
    return stored.map((found) => found?.all ?? []);
  },

  findByHash: async (hash, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const lead = await readOne(database, Key.apiKeyHash(hash), signal);
    if (lead.isErr()) return err(lead.error);
    if (lead.value === undefined) return ok(null);
    const account = decode(database, parseApiKeyLead, lead.value);
    if (account.isErr()) return err(account.error);
    const stored = await readList(database, apiKeysItem, account.value, signal);
    return stored.map((found) => found?.all.find((apiKey) => apiKey.hash === hash) ?? null);
  },

  // Many servers can do this at the beginning of an hour. So it changes only the one key, with no need to repeat it if others change too;
  // but it renews the revision, so that whoever replaces the whole item does not undo it. The condition does not hold for a missing key.
  recordUse: async ({ account, id }, use, timeLeft) => {
    const update = {
      Key: { ...Key.apiKeys(account) },
      UpdateExpression: "SET apiKeys.#id.lastUse = :use, revision = :revision",
      ConditionExpression:
        "#schema = :schema AND (apiKeys.#id.lastUse = :none OR apiKeys.#id.lastUse.#at < :at)",
      ExpressionAttributeNames: { "#id": id, "#at": "at", "#schema": "schema" },
      ExpressionAttributeValues: {
        ":use": { at: use.at, by: use.by },
        ":revision": randomUUID(),
        ":schema": SCHEMA,
        ":none": null,
        ":at": use.at,
      },
    };
    const updated = await updateIf(database, update, deadline(database.timeoutMs, timeLeft));
    return updated.map(() => undefined);
  },

  remove: (account, id, timeLeft) =>
    changeList(
      database,
      apiKeysItem,
      account,
      (apiKeys) => {
        const removed = apiKeys.find((apiKey) => apiKey.id === id);
        if (removed === undefined) return ok(null);
        return ok({
          after: apiKeys.filter((apiKey) => apiKey !== removed),
          also: {
            write: { Delete: { TableName: database.table, Key: { ...Key.apiKeyHash(removed.hash) } } },
          },
        });
      },
      deadline(database.timeoutMs, timeLeft),
    ),
});
