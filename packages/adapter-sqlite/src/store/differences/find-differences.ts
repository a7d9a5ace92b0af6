import { err, ok } from "@postern/core";
import { differencesByAccount, type FindDifferences } from "@postern/core/store";
import { derived } from "./derived.ts";
import { destinations } from "./destinations.ts";
import { damagedFile } from "./file.ts";
import { type Checked, checkOf } from "./rows.ts";
import { unreadables } from "./unreadable.ts";

const COMPARISONS = [...derived, ...destinations, ...unreadables];

/** The first account after another one that has a row in any of these tables. */
const NEXT_ACCOUNT = `
  SELECT min(account) AS account FROM (
    ${[...new Set(COMPARISONS.map(({ table }) => table))]
      .map((table) => `SELECT min(account) AS account FROM ${table} WHERE account > :after`)
      .join(" UNION ALL ")}
  )`;

/** SQLite's own checks come first: in a damaged file nothing can be compared, and nothing may be repaired. */
export const findDifferences = (checked: Checked): FindDifferences =>
  async function* (onAccount) {
    const { database } = checked;
    const damage = await damagedFile(database);
    if (damage.isErr()) yield err(damage.error);
    else if (damage.value !== null) yield ok(damage.value);
    else
      yield* differencesByAccount(
        (after) =>
          database.attempt(null, undefined, () => {
            const account = database.sql(NEXT_ACCOUNT).get({ after })?.["account"];
            return ok(typeof account === "string" ? account : null);
          }),
        COMPARISONS.map((comparison) => checkOf(checked, comparison)),
      )(onAccount);
  };
