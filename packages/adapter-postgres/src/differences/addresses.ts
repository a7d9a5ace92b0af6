import { EmailAddress } from "@postern/core";
import type { Difference } from "@postern/core/store";
import { ALIAS, aliasOf } from "../alias-row.ts";
import type { Database, Sql } from "../database.ts";
import { type Row, readable } from "../row.ts";
import { type Check, type Checked, eachRow, PAGE, repairing } from "./check.ts";
import { lockAlias, withoutTrigger } from "./locks.ts";

/** Whether the alias that the address `d` leads to has that address. */
const OWNED = `
  EXISTS (
    SELECT FROM aliases AS o WHERE o.account = d.account AND o.id = d.alias_id AND lower(o.email) = d.key
  )`;

type Place = { readonly account: string; readonly alias: string };

/** Makes the address of the alias lead to it, on a condition about its row `d`. */
const lead = async (sql: Sql, { account, alias }: Place, condition: string): Promise<boolean> => {
  const led = await sql(
    `UPDATE addresses AS d SET account = a.account, alias_id = a.id FROM aliases AS a
    WHERE a.account = $1 AND a.id = $2 AND d.key = lower(a.email) AND ${condition} RETURNING 1`,
    account,
    alias,
  );
  return led.length > 0;
};

/** Repairs while the row of the alias is locked. */
const locked = (database: Database, place: Place, work: (sql: Sql) => Promise<boolean>) =>
  repairing(database, async (sql) => {
    await lockAlias(sql, place.account, place.alias);
    return work(sql);
  });

const reserve = (database: Database, place: Place) =>
  locked(database, place, async (sql) => {
    const reserved = await sql(
      `INSERT INTO addresses SELECT lower(email), account, id FROM aliases WHERE account = $1 AND id = $2
      ON CONFLICT DO NOTHING RETURNING 1`,
      place.account,
      place.alias,
    );
    return reserved.length > 0;
  });

/** The trigger does not let a retired address be taken back. */
const takeBack = (database: Database, place: Place) =>
  repairing(database, (sql) =>
    withoutTrigger(sql, "addresses", "address_stays", async () => {
      await lockAlias(sql, place.account, place.alias);
      return lead(sql, place, "d.account IS NULL");
    }),
  );

/** Whether the address of an alias leads to it. */
const ofAlias = (row: Row, { database }: Checked, account: string): readonly Difference[] => {
  const alias = String(row["id"]);
  // An alias that does not parse may have a different address.
  if (readable(aliasOf, row["alias"]) === null) return [];
  if (row["owner"] === account && row["alias_id"] === alias) return [];
  const place = { account, alias };
  const misled = (stored: string, remedy: Difference["remedy"]): readonly Difference[] => [
    { kind: "address", ...place, recipient: null, stored, right: "leads to the alias", remedy },
  ];
  if (row["taken"] !== true) return misled("missing", { by: "repair", repair: reserve(database, place) });
  if (row["owner"] === null) {
    return [
      {
        kind: "retired",
        ...place,
        recipient: null,
        stored: "the alias exists, and its address is retired",
        right: "not retired until the alias is erased",
        remedy: { by: "repair", repair: takeBack(database, place) },
      },
    ];
  }
  if (row["owned"] === true) {
    const other = `leads to alias ${row["alias_id"]} of account ${row["owner"]}, which has the same address`;
    const action = "if the other alias is erased, a repair gives the address to this one";
    return misled(other, { by: "operator", action, detach: null });
  }
  return misled("leads to an alias that does not have it", {
    by: "repair",
    repair: locked(database, place, (sql) => lead(sql, place, `NOT ${OWNED}`)),
  });
};

/**
 * Whether the alias that an address leads to has that address. If not, the address is retired: nobody else may get what
 * may be the address of an erased alias.
 */
const ofAddress = (row: Row, { database }: Checked, account: string): readonly Difference[] => {
  const [alias, key] = [String(row["alias_id"]), String(row["key"])];
  const owner = row["alias"] === null ? null : readable(aliasOf, row["alias"]);
  if (row["alias"] !== null && (owner === null || EmailAddress.key(owner.email) === key)) return [];
  const repair = locked(database, { account, alias }, async (sql) => {
    const retired = await sql(
      `UPDATE addresses AS d SET account = NULL, alias_id = NULL
      WHERE key = $1 AND account = $2 AND alias_id = $3 AND NOT ${OWNED} RETURNING 1`,
      key,
      account,
      alias,
    );
    return retired.length > 0;
  });
  return [
    {
      kind: "address",
      account,
      alias,
      recipient: null,
      stored:
        owner === null
          ? "an address leads to the alias, which does not exist"
          : "leads to it from another address",
      right: "retired",
      remedy: { by: "repair", repair },
    },
  ];
};

export const addresses: readonly Check[] = [
  eachRow(
    `SELECT a.id, ${ALIAS} AS alias, d.key IS NOT NULL AS taken, d.account AS owner, d.alias_id, ${OWNED} AS owned
    FROM aliases AS a LEFT JOIN addresses AS d ON d.key = lower(a.email)
    WHERE a.account = $1 AND a.id > $2 ORDER BY a.id LIMIT ${PAGE}`,
    ["id"],
    ofAlias,
  ),
  eachRow(
    `SELECT d.key, d.alias_id,
      (SELECT ${ALIAS} FROM aliases AS a WHERE a.account = d.account AND a.id = d.alias_id) AS alias
    FROM addresses AS d WHERE d.account = $1 AND d.key > $2 ORDER BY d.key LIMIT ${PAGE}`,
    ["key"],
    ofAddress,
  ),
];
