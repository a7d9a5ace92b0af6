import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { AliasKey } from "@postern/core/store";
import { type Database, MAX_WRITES, query, transact, type Write } from "./database.ts";
import type { Refused } from "./send-until-deadline.ts";
import { KeyRange } from "./table.ts";

/** Deletes the log of the alias, 99 messages at a time, as long as the conditions (at most one) hold. */
export const deleteMessages = async (
  database: Database,
  { account, id }: AliasKey,
  conditions: readonly Write[],
  signal: AbortSignal,
): Promise<Result<void, Refused | Unavailable>> => {
  const range = KeyRange.messages(account, id);
  for (;;) {
    const found = await query(database, range, { limit: MAX_WRITES - 1 }, signal);
    if (found.isErr()) return err(found.error);
    const { items, last } = found.value;
    if (items.length === 0) return ok();
    const writes = items.map(({ pk, sk }) => ({ Delete: { TableName: database.table, Key: { pk, sk } } }));
    const deleted = await transact(database, [...conditions, ...writes], signal);
    if (deleted.isErr()) return err(deleted.error);
    if (last === undefined) return ok();
  }
};
