import type { Database } from "../database.ts";

type Trigger = "destination_detaches" | "destination_stays" | "retired_address_stays_retired";

/**
 * Does the work without these triggers, in the open transaction. They count from what is stored or forbid changing it, so
 * wrong data could not be corrected with them in place. Other programs never see the file without them.
 */
export const withoutTriggers = <T>(
  { sql }: Pick<Database, "sql">,
  triggers: readonly Trigger[],
  work: () => T,
): T => {
  const texts = triggers.map((name) =>
    String(sql("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?").get(name)?.["sql"]),
  );
  for (const name of triggers) sql(`DROP TRIGGER ${name}`).run();
  const result = work();
  for (const text of texts) sql(text).run();
  return result;
};
