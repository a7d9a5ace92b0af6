import type { Alias, AliasState } from "@postern/core";
import { type AliasSettings, parseAlias, parseAliasState, searchedWords } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

/** Tallies are stored in their own table. */
type Identity = Exclude<keyof Alias, keyof AliasSettings | "tallies">;

const identity = {
  account: ["account", (alias) => alias.account],
  id: ["id", (alias) => alias.id],
  email: ["email", (alias) => alias.email],
  createdAt: ["created_at", (alias) => alias.createdAt],
} satisfies Columns<Alias, Identity>;

/** The columns that a save writes, except for the words, which follow from them. */
export const settings = {
  description: ["description", (alias) => alias.description],
  website: ["website", (alias) => alias.website],
  active: ["active", (alias) => alias.active],
  rules: ["rules", (alias) => JSON.stringify(alias.rules)],
  destinations: ["destinations", (alias) => JSON.stringify(alias.destinations)],
  updatedAt: ["updated_at", (alias) => alias.updatedAt],
  deletedAt: ["deleted_at", (alias) => alias.deletedAt],
  version: ["version", (alias) => alias.version],
} satisfies Columns<Alias, keyof AliasSettings>;

const fields = { ...identity, ...settings };

const words = { words: ["words", (alias: Alias) => searchedWords(alias)] } as const;

/** The columns that a save writes. */
export const settingColumns = { ...settings, ...words };

/** The columns that a creation writes. */
export const aliasColumns = { ...fields, ...words };

/** The JSON that `stateOf` needs, from `aliases AS a`. */
export const ALIAS_STATE = `json_build_object(${fieldsOf(fields, "a")})`;

/** The JSON that `aliasOf` needs, from `aliases AS a`. */
export const ALIAS = `json_build_object(${fieldsOf(fields, "a")}, 'tallies', (
    SELECT coalesce(json_object_agg(t.outcome, json_build_object('count', t.count, 'lastAt', t.last_at)), '{}')
    FROM tallies AS t WHERE t.account = a.account AND t.alias_id = a.id
  ))`;

/** @throws DamagedRow */
export const stateOf = (data: unknown): AliasState => stored("aliases", parseAliasState, data);

/** @throws DamagedRow */
export const aliasOf = (data: unknown): Alias => stored("aliases", parseAlias, data);
