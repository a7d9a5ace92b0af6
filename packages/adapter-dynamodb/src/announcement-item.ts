import { Announcement, err, ok } from "@postern/core";
import { itemParser } from "./item.ts";
import { Key, Partition, SCHEMA } from "./table.ts";

/* An announcement is an item whose key says everything. So what is announced twice is stored once. */

export const announcementKey = (announcement: Announcement): Key => {
  const { account, webhook: id } = announcement;
  return Key.announcement({ account, id }, Announcement.position(announcement));
};

export const parseAnnouncementItem = itemParser<Announcement>((item) => {
  const announcement = Partition.announcement(item);
  return announcement === null ? err({ code: "corrupt" }) : ok(announcement);
});

/** Stores the announcement, unless it is stored. */
export const putAnnouncement = (announcement: Announcement) => ({
  Item: { ...announcementKey(announcement), schema: SCHEMA },
  ConditionExpression: "attribute_not_exists(pk)",
});
