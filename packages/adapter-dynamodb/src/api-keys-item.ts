import { type ApiKey, parseAccountId } from "@postern/core";
import { parseApiKey } from "@postern/core/store";
import * as z from "zod";
import { itemParser } from "./item.ts";
import { type ListItem, listParser } from "./list-item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * Besides the item that lists the API keys of an account, there is one for each of them, whose key is made from its hash, and which leads
 * to the account. Both are written together. The list is right: a key that it lacks cannot be used, whatever leads to the account, so there
 * is none that its owner could not see and delete.
 */

/** By id, without the id. So one of them can be changed without reading the item. */
const StoredApiKeys = z.object({ apiKeys: z.record(z.string(), z.looseObject({})) });

/** The item that lists the API keys of an account. */
export const apiKeysItem: ListItem<ApiKey> = {
  keyOf: Key.apiKeys,
  parse: listParser(
    Key.apiKeys,
    (item) => {
      const { data } = StoredApiKeys.safeParse(item);
      return data === undefined
        ? null
        : Object.entries(data.apiKeys).map(([id, apiKey]) => ({ ...apiKey, id }));
    },
    parseApiKey,
  ),
  attributes: (all) => ({ apiKeys: Object.fromEntries(all.map(({ id, ...apiKey }) => [id, apiKey])) }),
};

/** Reserves the hash of an API key across all accounts, and leads to the account that has the key. */
export const apiKeyLead = ({ hash, account }: Pick<ApiKey, "hash" | "account">) => ({
  ...Key.apiKeyHash(hash),
  schema: SCHEMA,
  account,
});

/** The account that the item leads to. */
export const parseApiKeyLead = itemParser((item) => parseAccountId(item["account"]));
