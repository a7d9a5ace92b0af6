import { err, ok } from "@postern/core";
import { readable } from "../file/row.ts";
import { loggedMessageOf } from "../store/logged-message-row.ts";
import type { Check } from "./check.ts";
import { difference } from "./unreadable.ts";

/** Like `rowsOf`, in the order of the primary key: the same message can be in the logs of several aliases. */
const PAGE = `
  SELECT * FROM logged_messages WHERE account = :account AND (alias_id, at, id) > (:alias, :at, :id)
  ORDER BY alias_id, at, id LIMIT 100`;

/** Rows of the message logs that do not parse. */
export const unreadableMessages: Check = async function* ({ database }, account) {
  let [alias, at, id] = ["", 0, ""];
  for (;;) {
    const page = await database.attempt(null, undefined, () =>
      ok(database.sql(PAGE).all({ account, alias, at, id })),
    );
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    for (const row of page.value) {
      if (readable(loggedMessageOf, row) === null)
        yield ok(difference(account, { alias: String(row["alias_id"]), recipient: null }));
    }
    const last = page.value.at(-1);
    if (last === undefined) return;
    [alias, at, id] = [String(last["alias_id"]), Number(last["at"]), String(last["id"])];
  }
};
