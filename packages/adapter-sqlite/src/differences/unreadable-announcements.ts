import { err, ok } from "@postern/core";
import { readable } from "../file/row.ts";
import { announcementOf } from "../store/outbox-rows.ts";
import type { Check } from "./check.ts";
import { difference } from "./unreadable.ts";

/** Like `rowsOf`, in the order of the primary key: the same can be announced to several webhooks. */
const PAGE = `
  SELECT * FROM announcements WHERE account = :account AND (webhook, position) > (:webhook, :position)
  ORDER BY webhook, position LIMIT 100`;

/** Announcements that do not parse. The alias that one is about is part of the text that does not parse. */
export const unreadableAnnouncements: Check = async function* ({ database }, account) {
  let [webhook, position] = ["", ""];
  for (;;) {
    const page = await database.attempt(null, undefined, () =>
      ok(database.sql(PAGE).all({ account, webhook, position })),
    );
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    for (const row of page.value)
      if (readable(announcementOf, row) === null)
        yield ok(difference(account, { alias: null, recipient: null }));
    const last = page.value.at(-1);
    if (last === undefined) return;
    [webhook, position] = [String(last["webhook"]), String(last["position"])];
  }
};
