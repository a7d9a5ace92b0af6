import type { Alias, AliasState, Destinations } from "@postern/core";
import { type AliasSettings, parseAlias, parseAliasState, parseAliasWith } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import { type Columns, table } from "./table.ts";

/** Tallies are stored in their own table. */
type Identity = Exclude<keyof Alias, keyof AliasSettings | "tallies">;

const identity = {
  account: ["account", (alias) => alias.account],
  id: ["id", (alias) => alias.id],
  email: ["email", (alias) => alias.email],
  createdAt: ["created_at", (alias) => alias.createdAt],
} satisfies Columns<Alias, Identity>;

const settings = {
  description: ["description", (alias) => alias.description],
  website: ["website", (alias) => alias.website],
  active: ["active", (alias) => Number(alias.active)],
  rules: ["rules", (alias) => JSON.stringify(alias.rules)],
  // The destinations of a live alias are rows of the table `destinations`.
  destinations: [
    "remembered",
    ({ deletedAt, destinations }) => (deletedAt === null ? null : JSON.stringify(destinations)),
  ],
  updatedAt: ["updated_at", (alias) => alias.updatedAt],
  deletedAt: ["deleted_at", (alias) => alias.deletedAt],
  version: ["version", (alias) => alias.version],
} satisfies Columns<Alias, keyof AliasSettings>;

export const aliasTable = table<Alias>("aliases", identity, settings);

const TALLIES = `
  (
    SELECT json_group_object(t.outcome, json_object('count', t.count, 'lastAt', t.last_at))
    FROM tallies AS t WHERE t.account = a.account AND t.alias_id = a.id
  ) AS tallies`;

/** The columns that `stateOf` needs, selected from `aliases AS a`. */
export const ALIAS_STATE = `
  a.*,
  coalesce(a.remembered, (
    SELECT json_group_array(json_object('recipientId', r.id, 'email', r.email) ORDER BY d.position)
    FROM destinations AS d CROSS JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
    WHERE d.account = a.account AND d.alias_id = a.id
  )) AS destinations`;

/** The columns that `aliasOf` needs, selected from `aliases AS a`. */
export const ALIAS = `${ALIAS_STATE}, ${TALLIES}`;

/** Like `ALIAS`, but a live alias has the ids of its recipients, in `recipient_ids`, instead of its destinations. */
export const ALIAS_WITH_IDS = `
  a.*,
  a.remembered AS destinations,
  (
    SELECT json_group_array(d.recipient_id ORDER BY d.position)
    FROM destinations AS d WHERE d.account = a.account AND d.alias_id = a.id
  ) AS recipient_ids,
  ${TALLIES}`;

const plainState = (row: Row) =>
  ({
    id: row["id"],
    account: row["account"],
    email: row["email"],
    description: row["description"],
    website: row["website"],
    active: row["active"] === 1,
    rules: JSON.parse(String(row["rules"])),
    createdAt: row["created_at"],
    updatedAt: row["updated_at"],
    deletedAt: row["deleted_at"],
    version: row["version"],
  }) satisfies Record<Exclude<keyof AliasState, "destinations">, unknown>;

const plainAlias = (row: Row) => ({ ...plainState(row), tallies: JSON.parse(String(row["tallies"])) });

const destinationsOf = (row: Row) => ({ destinations: JSON.parse(String(row["destinations"])) });

export const stateOf = (row: Row): AliasState =>
  stored("aliases", () => parseAliasState({ ...plainState(row), ...destinationsOf(row) }));

export const aliasOf = (row: Row): Alias =>
  stored("aliases", () => parseAlias({ ...plainAlias(row), ...destinationsOf(row) }));

export const aliasWith = (destinations: Destinations, row: Row): Alias =>
  stored("aliases", () => parseAliasWith(destinations, plainAlias(row)));
