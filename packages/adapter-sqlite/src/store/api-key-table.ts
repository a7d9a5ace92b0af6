import type { ApiKey } from "@postern/core";
import { parseApiKey } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import { type Columns, insertion } from "./table.ts";

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

const columns = {
  account: ["account", (apiKey) => apiKey.account],
  id: ["id", (apiKey) => apiKey.id],
  hash: ["hash", (apiKey) => apiKey.hash],
  name: ["name", (apiKey) => apiKey.name],
  scopes: ["scopes", (apiKey) => json(apiKey.scopes)],
  aliasDomain: ["alias_domain", (apiKey) => apiKey.aliasDomain],
  recipientIds: ["recipient_ids", (apiKey) => json(apiKey.recipientIds)],
  expiresAt: ["expires_at", (apiKey) => apiKey.expiresAt],
  createdAt: ["created_at", (apiKey) => apiKey.createdAt],
} satisfies Columns<ApiKey, Exclude<keyof ApiKey, "lastUse">>;

export const apiKeyTable = insertion<ApiKey>("api_keys", {
  ...columns,
  lastUsedAt: ["last_used_at", ({ lastUse }) => lastUse?.at ?? null],
  lastUsedBy: ["last_used_by", ({ lastUse }) => lastUse?.by ?? null],
});

/** `row` has all columns of `api_keys`. */
export const apiKeyOf = (row: Row): ApiKey =>
  stored("api_keys", () => {
    const lastUse = { at: row["last_used_at"], by: row["last_used_by"] };
    return parseApiKey({
      id: row["id"],
      account: row["account"],
      hash: row["hash"],
      name: row["name"],
      scopes: JSON.parse(String(row["scopes"])),
      aliasDomain: row["alias_domain"],
      recipientIds: JSON.parse(String(row["recipient_ids"])),
      expiresAt: row["expires_at"],
      createdAt: row["created_at"],
      lastUse: lastUse.at === null && lastUse.by === null ? null : lastUse,
    } satisfies Record<keyof ApiKey, unknown>);
  });
