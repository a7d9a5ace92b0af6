import type { ApiKey } from "@postern/core";
import { parseApiKey } from "@postern/core/store";
import { type AnyColumns, type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

const columns = {
  account: ["account", (apiKey) => apiKey.account],
  id: ["id", (apiKey) => apiKey.id],
  hash: ["hash", (apiKey) => apiKey.hash],
  name: ["name", (apiKey) => apiKey.name],
  scopes: ["scopes", (apiKey) => apiKey.scopes],
  aliasDomain: ["alias_domain", (apiKey) => apiKey.aliasDomain],
  recipientIds: ["recipient_ids", (apiKey) => apiKey.recipientIds],
  expiresAt: ["expires_at", (apiKey) => apiKey.expiresAt],
  createdAt: ["created_at", (apiKey) => apiKey.createdAt],
} satisfies Columns<ApiKey, Exclude<keyof ApiKey, "lastUse">>;

/** The columns that a creation writes. */
export const apiKeyColumns = {
  ...columns,
  lastUsedAt: ["last_used_at", ({ lastUse }) => lastUse?.at ?? null],
  lastUsedBy: ["last_used_by", ({ lastUse }) => lastUse?.by ?? null],
} satisfies AnyColumns<ApiKey>;

/** The JSON that `apiKeyOf` needs, from `api_keys AS k`. */
export const API_KEY = `json_build_object(${fieldsOf(columns, "k")}, 'lastUse',
  CASE WHEN num_nonnulls(k.last_used_at, k.last_used_by) > 0 THEN json_build_object('at', k.last_used_at, 'by', k.last_used_by) END)`;

/** @throws DamagedRow */
export const apiKeyOf = (data: unknown): ApiKey => stored("api_keys", parseApiKey, data);
