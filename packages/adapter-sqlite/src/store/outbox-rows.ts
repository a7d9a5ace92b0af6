import { type InvalidRequest, ok, parseAccountId, parseWebhookId, type Result } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  parseAnnouncement,
  type Turn,
  type WebhookKey,
} from "@postern/core/store";
import { numberIn, type Row, stored } from "../file/row.ts";

const placeOf = (row: Row): Result<WebhookKey, InvalidRequest> =>
  parseAccountId(row["account"]).andThen((account) =>
    parseWebhookId(row["webhook"]).map((id) => ({ account, id })),
  );

/** `row` has all columns of `announcements`. */
export const announcementOf = (row: Row): Announcement =>
  stored("announcements", () =>
    placeOf(row).andThen((webhook) => parseAnnouncement(webhook, row["position"])),
  );

/** Where a turn continues, possibly after an announcement that no longer exists. */
const afterOf = (
  webhook: WebhookKey,
  position: unknown,
): Result<AnnouncementPosition | null, InvalidRequest> =>
  position === null ? ok(null) : parseAnnouncement(webhook, position).map(Announcement.position);

const TURNS = "webhook_turns";

/**
 * The columns of `webhook_turns` that `turnOf` needs. Read as REAL: an integer too large for JavaScript would make the whole query throw.
 */
export const TURN = `account, webhook, after_position, CAST(failures AS REAL) AS failures,
  CAST(failing_since AS REAL) AS failing_since, CAST(leased_until AS REAL) AS leased_until`;

/** The current turn of the webhook, which somebody has. */
export const turnOf = (row: Row): Turn => {
  const webhook = stored(TURNS, () => placeOf(row));
  const { failures, failing_since: failingSince, leased_until: until, after_position: after } = row;
  return {
    ...webhook,
    failures: numberIn(TURNS, failures),
    failingSince: failingSince === null ? null : numberIn(TURNS, failingSince),
    after: stored(TURNS, () => afterOf(webhook, after)),
    until: numberIn(TURNS, until),
  };
};
