import { type Conflict, MAX_API_KEYS, ok, type TooManyApiKeys } from "@postern/core";
import type { ApiKeys } from "@postern/core/store";
import { API_KEY, apiKeyColumns, apiKeyOf } from "./api-key-row.ts";
import { namesOf, placeholders, valuesOf } from "./columns.ts";
import type { Database, Refusal } from "./database.ts";
import { query, statement } from "./statement.ts";

const names = namesOf(apiKeyColumns);

/** A trigger gives it a slot, or one too many. */
const CREATE = statement(
  "create_api_key",
  `INSERT INTO api_keys (${names.join(", ")}) VALUES (${placeholders(names.length).join(", ")})`,
);

const LIST = statement("list_api_keys", `SELECT ${API_KEY} AS api_key FROM api_keys AS k WHERE account = $1`);

const FIND = statement("find_api_key", `SELECT ${API_KEY} AS api_key FROM api_keys AS k WHERE hash = $1`);

const RECORD_USE = statement(
  "record_api_key_use",
  `UPDATE api_keys SET last_used_at = $3, last_used_by = $4
  WHERE account = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)`,
);

const REMOVE = statement("remove_api_key", "DELETE FROM api_keys WHERE account = $1 AND id = $2");

const REFUSALS: Readonly<Record<string, Conflict | TooManyApiKeys>> = {
  api_keys_pkey: { code: "conflict" },
  api_keys_hash: { code: "conflict" },
  api_keys_slot_check: { code: "too_many_api_keys", limit: MAX_API_KEYS },
};

const creationRefusal = ({ violated }: Refusal) => REFUSALS[violated ?? ""] ?? null;

export const postgresApiKeys = ({ run }: Pick<Database, "run">): ApiKeys => ({
  create: (apiKey, timeLeft) =>
    run(timeLeft, query(CREATE, ...valuesOf(apiKeyColumns, apiKey)), () => ok(), creationRefusal),

  list: (account, timeLeft) =>
    run(timeLeft, query(LIST, account), (rows) => ok(rows.map((row) => apiKeyOf(row["api_key"])))),

  findByHash: (hash, timeLeft) =>
    run(timeLeft, query(FIND, hash), ([row]) => ok(row === undefined ? null : apiKeyOf(row["api_key"]))),

  recordUse: ({ account, id }, { at, by }, timeLeft) =>
    run(timeLeft, query(RECORD_USE, account, id, at, by), () => ok()),

  remove: (account, id, timeLeft) => run(timeLeft, query(REMOVE, account, id), () => ok()),
});
