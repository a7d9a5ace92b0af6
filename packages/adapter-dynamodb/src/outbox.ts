import { err, ok } from "@postern/core";
import { Announcement, type Outbox, pageOf } from "@postern/core/store";
import { announcementKey, parseAnnouncementItem, putAnnouncement } from "./announcement-item.ts";
import { beginTurns } from "./begin-turns.ts";
import { unavailable } from "./cause.ts";
import { type Database, putIf, transact, updateIf } from "./database.ts";
import { endTurn } from "./end-turn.ts";
import { queryMany } from "./query-many.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";
import { countAnnounced } from "./turns-item.ts";

export const dynamoOutbox = (database: Database): Outbox => ({
  announce: async (announcements, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const put = announcements.map((each) => putIf(database, putAnnouncement(each), signal));
    for (const stored of await Promise.all(put)) if (stored.isErr()) return err(stored.error);
    // Not earlier, because a turn could end in between. Once for each webhook.
    const byWebhook = Map.groupBy(announcements, ({ webhook }) => webhook).values();
    const counted = [...byWebhook].flatMap(([first]) =>
      first === undefined ? [] : [updateIf(database, countAnnounced(first), signal)],
    );
    for (const due of await Promise.all(counted)) if (due.isErr()) return err(due.error);
    return ok();
  },

  list: async (webhook, { limit, after }, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const start = after === null ? undefined : Key.announcement(webhook, after);
    const range = KeyRange.announcements(webhook);
    // One more than the page holds shows whether there is a next page.
    const found = await queryMany(database, parseAnnouncementItem, range, limit + 1, start, signal);
    return found.map((announcements) => pageOf(announcements, limit, Announcement.position));
  },

  remove: async (announcements, timeLeft) => {
    // A transaction cannot delete an item twice.
    const distinct = new Map(announcements.map((each) => [Announcement.position(each), each]));
    const deletions = [...distinct.values()].map((each) => ({
      Delete: { TableName: database.table, Key: { ...announcementKey(each) } },
    }));
    const removed = await transact(database, deletions, deadline(database.timeoutMs, timeLeft));
    return removed.mapErr((error) =>
      error.code === "refused" ? unavailable("a deletion without a condition was refused") : error,
    );
  },

  begin: beginTurns(database),

  end: endTurn(database),
});
