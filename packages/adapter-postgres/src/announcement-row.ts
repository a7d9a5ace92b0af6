import type { InvalidRequest, Result } from "@postern/core";
import { type Announcement, parseAnnouncement } from "@postern/core/store";
import { type Row, stored } from "./row.ts";
import { parsePlace } from "./webhook-place.ts";

const parseRow = (row: Row): Result<Announcement, InvalidRequest> =>
  parsePlace(row).andThen((place) => parseAnnouncement(place, row["position"]));

/** The columns that `announcementOf` needs. */
export const ANNOUNCEMENT = "account, webhook, position";

/** @throws DamagedRow */
export const announcementOf = (row: Row): Announcement => stored("announcements", parseRow, row);
