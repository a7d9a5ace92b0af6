import { ok, type Result, type Unavailable } from "@postern/core";
import { Difference } from "@postern/core/store";
import { causeOf } from "../../file/cause.ts";
import { saysDamaged } from "../../file/sqlite-error.ts";
import { writeLog } from "../../file/write-log.ts";
import type { Database } from "../database.ts";

/** The first problem that SQLite finds in the pages and indexes of the file, or null. Other checks cover the CHECK constraints. */
const firstDamage = ({ sql }: Pick<Database, "sql">): string | null => {
  try {
    sql("PRAGMA ignore_check_constraints = ON").get();
    const found = String(sql("PRAGMA integrity_check(1)").get()?.["integrity_check"]);
    return found === "ok" ? null : found.replaceAll("\n", " ");
  } catch (thrown) {
    if (saysDamaged(thrown)) return causeOf(thrown).reason;
    throw thrown;
  } finally {
    sql("PRAGMA ignore_check_constraints = OFF").get();
  }
};

/**
 * A file that is itself damaged, or whose indexes differ from its tables, so that two aliases could have one address. Reads
 * the whole file, which takes several seconds per 100 MB.
 */
export const damagedFile = async (database: Database): Promise<Result<Difference | null, Unavailable>> => {
  const checked = await database.attempt(null, undefined, () => ok(firstDamage(database)));
  writeLog(database.sql);
  return checked.map((damage) =>
    damage === null
      ? null
      : Difference.undecided(
          "file",
          { account: null, alias: null, recipient: null },
          {
            stored: `damaged (${damage})`,
            right: "intact",
            action: "keep a copy of the file and restore the last backup. Nothing else was compared",
          },
        ),
  );
};
