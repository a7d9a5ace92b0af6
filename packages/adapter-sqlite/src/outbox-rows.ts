import {
  Announcement,
  type AnnouncementPosition,
  type InvalidRequest,
  ok,
  parseAccountId,
  parseAnnouncement,
  parseWebhookId,
  type Result,
  type Turn,
  type WebhookPlace,
} from "@postern/core";
import { type Row, stored } from "./row.ts";

const placeOf = (row: Row): Result<WebhookPlace, InvalidRequest> =>
  parseAccountId(row["account"]).andThen((account) =>
    parseWebhookId(row["webhook"]).map((id) => ({ account, id })),
  );

/** `row` has all columns of `announcements`. */
export const announcementOf = (row: Row): Announcement =>
  stored("announcements", () =>
    placeOf(row).andThen((webhook) => parseAnnouncement(webhook, row["position"])),
  );

/** Where a turn continues. It can be after an announcement that is gone. */
const afterOf = (
  webhook: WebhookPlace,
  position: unknown,
): Result<AnnouncementPosition | null, InvalidRequest> =>
  position === null ? ok(null) : parseAnnouncement(webhook, position).map(Announcement.position);

/** `row` has all columns of `webhook_turns`, and somebody has the turn. */
export const turnOf = (row: Row): Turn =>
  stored("webhook_turns", () =>
    placeOf(row).andThen((webhook) =>
      afterOf(webhook, row["after_position"]).map((after) => ({
        ...webhook,
        failures: Number(row["failures"]),
        failingSince: row["failing_since"] === null ? null : Number(row["failing_since"]),
        after,
        until: Number(row["leased_until"]),
      })),
    ),
  );
