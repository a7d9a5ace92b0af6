import { Announcement, parseAnnouncement, type TurnState, type WebhookKey } from "@postern/core/store";
import { numberIn, type Row, stored } from "./row.ts";
import { parsePlace } from "./webhook-place.ts";

const TABLE = "webhook_turns";

/** The columns that `turnOf` needs, from `webhook_turns AS t`. */
export const TURN = "t.account, t.webhook, t.failures, t.failing_since, t.after_position";

/**
 * How the last turn of a webhook ended.
 *
 * @throws DamagedRow
 */
export const turnOf = (row: Row): WebhookKey & TurnState => {
  const place = stored(TABLE, parsePlace, row);
  const { failures, failing_since: failingSince, after_position: after } = row;
  const positionOf = (text: unknown) => parseAnnouncement(place, text).map(Announcement.position);
  return {
    ...place,
    failures: numberIn(TABLE, failures),
    failingSince: failingSince === null ? null : numberIn(TABLE, failingSince),
    after: after === null ? null : stored(TABLE, positionOf, after),
  };
};
