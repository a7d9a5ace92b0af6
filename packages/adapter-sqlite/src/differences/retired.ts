import { ok } from "@postern/core";
import { eachRow } from "./check.ts";
import { withoutTriggers } from "./without-triggers.ts";

/**
 * Retired addresses that an alias has. The alias is right, so it stays; nobody else can take its address, and erasing it
 * retires the address again.
 */
export const retired = eachRow(
  `SELECT id FROM aliases WHERE account = :account AND id > :after AND lower(email) IN (SELECT address FROM retired_addresses)`,
  (row, { database }, account) => {
    const alias = String(row["id"]);
    const { sql } = database;
    const repair = () =>
      database.transact<"repaired" | "gone">(null, undefined, () =>
        withoutTriggers(database, ["retired_address_stays_retired"], () => {
          const { changes } = sql(`
            DELETE FROM retired_addresses
            WHERE address = (SELECT lower(email) FROM aliases WHERE account = ? AND id = ?)`).run(
            account,
            alias,
          );
          return ok(changes === 1 ? "repaired" : "gone");
        }),
      );
    return {
      kind: "retired",
      account,
      alias,
      recipient: null,
      stored: "the alias exists, and its address is retired",
      right: "not retired until the alias is erased",
      remedy: { by: "repair", repair },
    };
  },
);
