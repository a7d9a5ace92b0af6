import { ok } from "@postern/core";
import { eachRow } from "./check.ts";

/** How many live aliases list the recipient `r`. The schema allows nothing but 0 for one that is not verified and active. */
const RIGHT = `
  iif(r.verified_at IS NULL OR r.active <> 1, 0, (
    SELECT count(*) FROM destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id
    WHERE d.account = r.account AND d.recipient_id = r.id AND a.deleted = 0
  ))`;

export const attached = eachRow(
  `SELECT id, attached, ${RIGHT} AS held FROM recipients AS r
  WHERE account = :account AND id > :after AND attached <> ${RIGHT}`,
  (row, { database }, account) => {
    const recipient = String(row["id"]);
    return {
      kind: "attached",
      account,
      alias: null,
      recipient,
      stored: String(row["attached"]),
      right: String(row["held"]),
      remedy: {
        by: "repair",
        repair: () =>
          database.transact(null, undefined, () => {
            const update = database.sql(`
              UPDATE recipients AS r SET attached = ${RIGHT}
              WHERE account = ? AND id = ? AND attached <> ${RIGHT}`);
            return ok(update.run(account, recipient).changes === 1 ? "repaired" : "gone");
          }),
      },
    };
  },
);
