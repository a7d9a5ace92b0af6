import { err, ok } from "@postern/core";
import { ANNOUNCEMENT_RETENTION, Announcement } from "@postern/core/store";
import { itemParser } from "./item.ts";
import { Key, Partition, SCHEMA } from "./table.ts";

/*
 * An announcement is an item whose key contains everything, so that something announced twice is stored once. It expires because nothing
 * else might remove it: if a process dies after storing it and before making its webhook due, and the webhook is then removed, the webhook
 * gets no further turn.
 */

export const announcementKey = (announcement: Announcement): Key => {
  const { account, webhook: id } = announcement;
  return Key.announcement({ account, id }, Announcement.position(announcement));
};

export const parseAnnouncementItem = itemParser<Announcement>((item) => {
  const announcement = Partition.announcement(item);
  return announcement === null ? err({ code: "corrupt" }) : ok(announcement);
});

/** Stores the announcement unless it is already stored. */
export const putAnnouncement = (announcement: Announcement) => ({
  Item: {
    ...announcementKey(announcement),
    schema: SCHEMA,
    expires: Math.ceil((announcement.at + ANNOUNCEMENT_RETENTION) / 1000),
  },
  ConditionExpression: "attribute_not_exists(pk)",
});
