import { memoryStore } from "@postern/adapter-memory";
import { compareIds, ok, type Store } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  type NextTurn,
  type Page,
  type PageRequest,
  pageOf,
  parseAnnouncement,
  type Turn,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { inTime } from "./intercepted.ts";

/** What is stored for a webhook. */
type Box = {
  announced: readonly Announcement[];
  /** When the next turn is due; null if none is. */
  dueAt: number | null;
  /** The turn that somebody has; if nobody has one (`until` is 0), how the next one begins. */
  turn: Turn;
};

/** How a store treats announcements and turns. Whatever is not overridden is correct. */
type Rules = {
  /** Webhooks with the same key are one. */
  readonly webhookKey: (webhook: WebhookKey) => string;
  /** Announcements to a webhook with the same key are one. */
  readonly keyOf: (announcement: Announcement) => string;
  /** What is stored when something is announced, and returned when it is listed. */
  readonly copyOf: (announcement: Announcement) => Announcement;
  /** Negative if the first one is listed before the second. */
  readonly order: (a: Announcement, b: Announcement) => number;
  /** The first page of `rest`. */
  readonly pageOf: (
    rest: readonly Announcement[],
    request: PageRequest<AnnouncementPosition>,
  ) => Page<Announcement, AnnouncementPosition>;
  /** Whether removing an announcement removes one that is stored. */
  readonly removes: (removed: Announcement, stored: Announcement) => boolean;
  /** When the next turn is due after an announcement. */
  readonly dueAfter: (announcement: Announcement, box: Box) => number | null;
  readonly isDue: (box: Box, now: number) => boolean;
  /** Those that are due, in the order of their turns. */
  readonly inTurn: (due: readonly Box[]) => readonly Box[];
  /** The turn of the webhook that begins. */
  readonly begun: (box: Box, until: number) => Turn;
  /** What is returned for a turn that begins. */
  readonly copyOfTurn: (turn: Turn) => Turn;
  /** What the end of a turn changes. */
  readonly ended: (box: Box, turn: Turn, next: NextTurn) => Partial<Box>;
};

const START: TurnState = { failures: 0, failingSince: null, after: null };

/** The rules of a store that is correct. */
export const RIGHT: Rules = {
  webhookKey: ({ account, id }) => JSON.stringify([account, id]),
  keyOf: Announcement.position,
  copyOf: (announcement) => structuredClone(announcement),
  order: (a, b) => compareIds(Announcement.position(b), Announcement.position(a)),
  pageOf: (rest, { limit }) => pageOf(rest, limit, Announcement.position),
  removes: (removed, stored) => Announcement.position(removed) === Announcement.position(stored),
  dueAfter: ({ at }, { dueAt }) => dueAt ?? at,
  isDue: ({ dueAt, turn }, now) => dueAt !== null && dueAt <= now && turn.until <= now,
  inTurn: (due) => due.toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)),
  begun: ({ turn }, until) => ({ ...turn, until }),
  copyOfTurn: (turn) => ({ ...turn }),
  ended: ({ announced, turn: stored }, turn, { dueAt, failures, failingSince, after }) =>
    stored.until === turn.until
      ? {
          dueAt: announced.length > 0 ? dueAt : null,
          turn: { ...stored, failures, failingSince, after, until: 0 },
        }
      : {},
};

/** A store that keeps a box of announcements for each webhook; `flaw` overrides how. */
export const plainOutbox = (flaw: Partial<Rules> = {}): Store => {
  const rules: Rules = { ...RIGHT, ...flaw };
  const boxes = new Map<string, Box>();

  const boxOf = ({ account, id }: WebhookKey): Box => {
    const key = rules.webhookKey({ account, id });
    const box = boxes.get(key) ?? { announced: [], dueAt: null, turn: { account, id, ...START, until: 0 } };
    boxes.set(key, box);
    return box;
  };

  return inTime({
    ...memoryStore(),
    outbox: {
      announce: async (announcements) => {
        for (const announcement of announcements) {
          const box = boxOf({ account: announcement.account, id: announcement.webhook });
          const key = rules.keyOf(announcement);
          const others = box.announced.filter((each) => rules.keyOf(each) !== key);
          box.announced = [...others, rules.copyOf(announcement)];
          box.dueAt = rules.dueAfter(announcement, box);
        }
        return ok();
      },

      list: async (webhook, request) => {
        const after = request.after === null ? null : valueOf(parseAnnouncement(webhook, request.after));
        const rest = boxOf(webhook)
          .announced.filter((each) => after === null || rules.order(each, after) > 0)
          .toSorted(rules.order);
        return ok(rules.pageOf(rest.map(rules.copyOf), request));
      },

      remove: async (announcements) => {
        for (const announcement of announcements) {
          const box = boxOf({ account: announcement.account, id: announcement.webhook });
          box.announced = box.announced.filter((stored) => !rules.removes(announcement, stored));
        }
        return ok();
      },

      begin: async ({ now, until, limit }) => {
        const due = [...boxes.values()].filter((box) => rules.isDue(box, now));
        const turns = rules.inTurn(due).slice(0, limit);
        for (const box of turns) box.turn = rules.begun(box, until);
        return ok(turns.map(({ turn }) => rules.copyOfTurn(turn)));
      },

      end: async (turn, next) => {
        const box = boxOf(turn);
        Object.assign(box, rules.ended(box, turn, next));
        return ok();
      },
    },
  });
};
