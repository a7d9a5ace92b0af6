import type { PortResult } from "../ports/port-result.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Announcement, AnnouncementPosition } from "./announcement.ts";
import type { WebhookKey } from "./webhook.ts";

/**
 * The events that have yet to be sent to webhooks, and when each webhook has its next turn. Only one server at a time sends to a webhook,
 * so that all servers together try a failing webhook no more often than a single server would.
 */
export type Outbox = {
  /**
   * Stores the announcements, which are for webhooks of one account, unless they are already stored. A webhook without a next turn becomes
   * due at the time of the announcement: it gets turns (`begin`) until one of them ends with nothing announced. Idempotent. After
   * `unavailable`, some may be stored. They are kept until they are removed, or for at least `ANNOUNCEMENT_RETENTION`.
   */
  announce(announcements: NonEmpty<Announcement>, timeLeft?: number): PortResult<void>;

  /** In descending order of `Announcement.position`. Every page but the last is full. Sees every write that completed before the call. */
  list(
    webhook: WebhookKey,
    page: PageRequest<AnnouncementPosition>,
    timeLeft?: number,
  ): PortResult<Page<Announcement, AnnouncementPosition>>;

  /** Removes the announcements: at most 100, all for one webhook. Idempotent. After `unavailable`, some may be removed. */
  remove(announcements: NonEmpty<Announcement>, timeLeft?: number): PortResult<void>;

  /**
   * Begins turns for webhooks that are due at `now`, at most `limit`, starting with those that have been due longest. Nobody else gets a
   * webhook's turn until this one is ended, or until `until`, whichever is earlier. A store may skip a webhook while another call is ending
   * its turn or announcing something to it.
   */
  begin(turns: WantedTurns, timeLeft?: number): PortResult<readonly Turn[]>;

  /**
   * Ends a turn, and stores how it ended. If anything is still announced to the webhook, it is due again at `next.dueAt`. Does nothing if
   * somebody else has got the webhook's turn in the meantime, or if the turn has already been ended.
   */
  end(turn: Turn, next: NextTurn, timeLeft?: number): PortResult<void>;
};

/** Times are in epoch milliseconds. */
export type WantedTurns = {
  readonly now: number;
  /** Later than `now`. */
  readonly until: number;
  /** 1 to 100. */
  readonly limit: number;
};

/** How far the last turn of a webhook got. */
export type TurnState = {
  /** How many times in a row delivery has failed; 0 if the last event was delivered. */
  readonly failures: number;
  /** When the first of these failures occurred, in epoch milliseconds; null if there are no failures. */
  readonly failingSince: number | null;
  /** Where the next turn continues in the list of announcements; null to start again. */
  readonly after: AnnouncementPosition | null;
};

/** The right to send one webhook the events announced to it, until `until`, in epoch milliseconds. */
export type Turn = WebhookKey & TurnState & { readonly until: number };

export type NextTurn = TurnState & { readonly dueAt: number };
