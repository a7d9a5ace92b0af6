import type { SQLOutputValue } from "node:sqlite";
import { type Alias, type Destinations, type Recipient, Tallies } from "@postern/core";

/*
 * Rows as values of the domain. The casts are sound because only this package writes the file, values of these very
 * types, and its tables are STRICT.
 */

type Row = Readonly<Record<string, SQLOutputValue>>;

/** All of an alias in one row; `a` stands for the table `aliases`. */
export const ALIAS = `
  a.account, a.id, a.email, a.description, a.active, a.created_at, a.updated_at, a.deleted_at, a.version,
  coalesce(a.remembered, (
    SELECT json_group_array(json_object('recipientId', r.id, 'email', r.email) ORDER BY d.position)
    FROM destinations AS d CROSS JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
    WHERE d.account = a.account AND d.alias_id = a.id
  )) AS destinations,
  (
    SELECT json_group_object(t.outcome, json_object('count', t.count, 'lastAt', t.last_at))
    FROM tallies AS t WHERE t.account = a.account AND t.alias_id = a.id
  ) AS tallies`;

export const aliasOf = (row: Row): Alias => {
  const destinations: Destinations = JSON.parse(String(row["destinations"]));
  const tallies: Partial<Tallies> = JSON.parse(String(row["tallies"]));
  return {
    id: row["id"] as Alias["id"],
    account: row["account"] as Alias["account"],
    email: row["email"] as Alias["email"],
    description: row["description"] as string,
    active: row["active"] === 1,
    destinations,
    tallies: { ...Tallies.none, ...tallies },
    createdAt: row["created_at"] as number,
    updatedAt: row["updated_at"] as number,
    deletedAt: row["deleted_at"] as number | null,
    version: row["version"] as number,
  };
};

export const recipientOf = (row: Row): Recipient => ({
  id: row["id"] as Recipient["id"],
  account: row["account"] as Recipient["account"],
  email: row["email"] as Recipient["email"],
  verifiedAt: row["verified_at"] as number | null,
  active: row["active"] === 1,
  attached: row["attached"] as number,
  nonce: row["nonce"] as string,
  mailedAt: JSON.parse(String(row["mailed_at"])),
  createdAt: row["created_at"] as number,
  updatedAt: row["updated_at"] as number,
  version: row["version"] as number,
});
