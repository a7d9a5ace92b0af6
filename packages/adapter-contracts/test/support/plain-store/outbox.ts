import { compareIds, ok } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  type NextTurn,
  type Outbox,
  type Page,
  type PageRequest,
  pageOf,
  parseAnnouncement,
  type Turn,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { keyOf } from "../stored.ts";
import type { Write } from "./facts.ts";

/** What is stored for a webhook. */
type Box = {
  announced: readonly Announcement[];
  /** When the next turn is due; null if none is. */
  dueAt: number | null;
  /** The turn that somebody has; if nobody has one (`until` is 0), how the next one begins. */
  turn: Turn;
};

/** How a store treats announcements and turns. Whatever is not overridden is correct. */
export type OutboxRules = {
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
  /** When the next turn is due after an announcement, if it was due at `dueAt` before. */
  readonly dueAfter: (announcement: Announcement, dueAt: number | null, box: Box) => number | null;
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
export const RIGHT: OutboxRules = {
  webhookKey: keyOf,
  keyOf: Announcement.position,
  copyOf: (announcement) => structuredClone(announcement),
  order: (a, b) => compareIds(Announcement.position(b), Announcement.position(a)),
  pageOf: (rest, { limit }) => pageOf(rest, limit, Announcement.position),
  removes: (removed, stored) => Announcement.position(removed) === Announcement.position(stored),
  dueAfter: ({ at }, dueAt) => dueAt ?? at,
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

export const plainOutbox = (write: Write, flaw: Partial<OutboxRules> = {}): Outbox => {
  const rules: OutboxRules = { ...RIGHT, ...flaw };
  const boxes = new Map<string, Box>();
  const boxOf = ({ account, id }: WebhookKey): Box => {
    const key = rules.webhookKey({ account, id });
    const box = boxes.get(key) ?? { announced: [], dueAt: null, turn: { account, id, ...START, until: 0 } };
    boxes.set(key, box);
    return box;
  };
  /** Something about every webhook. */
  const each = <T>(read: (box: Box) => T) => new Map([...boxes.values()].map((box) => [box, read(box)]));

  return {
    announce: (announcements) =>
      write((fact) => {
        const told = announcements.map((announcement) => ({
          announcement,
          box: boxOf({ account: announcement.account, id: announcement.webhook }),
        }));
        const others = fact("others in outbox.announce", () => each(({ announced }) => announced));
        const due = fact("due time in outbox.announce", () => each(({ dueAt }) => dueAt));
        return () => {
          const [announced, dueAt] = [others(), due()];
          for (const { announcement, box } of told) {
            const key = rules.keyOf(announcement);
            const kept = (announced.get(box) ?? []).filter((stored) => rules.keyOf(stored) !== key);
            box.announced = [...kept, rules.copyOf(announcement)];
            announced.set(box, box.announced);
            const before = dueAt.get(box) ?? null;
            const after = rules.dueAfter(announcement, before, box);
            if (after !== before) box.dueAt = after;
            dueAt.set(box, after);
          }
          return ok();
        };
      }),

    list: async (webhook, request) => {
      const after = request.after === null ? null : valueOf(parseAnnouncement(webhook, request.after));
      const rest = boxOf(webhook)
        .announced.filter((stored) => after === null || rules.order(stored, after) > 0)
        .toSorted(rules.order);
      return ok(rules.pageOf(rest.map(rules.copyOf), request));
    },

    remove: (announcements) =>
      write((fact) => {
        const [{ account, webhook: id }] = announcements;
        const box = boxOf({ account, id });
        const others = fact("others in outbox.remove", () =>
          box.announced.filter((stored) => !announcements.some((removed) => rules.removes(removed, stored))),
        );
        return () => {
          box.announced = others();
          return ok();
        };
      }),

    begin: ({ now, until, limit }) =>
      write((fact) => {
        const due = fact("due time in outbox.begin", () => each(({ dueAt }) => dueAt));
        const untils = fact("turn in outbox.begin", () => each(({ turn }) => turn.until));
        const turns = fact("state in outbox.begin", () => each(({ turn }) => turn));
        return () => {
          const known = [...boxes.values()].flatMap((box) => {
            const turn = turns().get(box);
            return turn === undefined
              ? []
              : {
                  announced: box.announced,
                  dueAt: due().get(box) ?? null,
                  turn: { ...turn, until: untils().get(box) ?? 0 },
                };
          });
          const begun = rules.inTurn(known.filter((box) => rules.isDue(box, now))).slice(0, limit);
          return ok(
            begun.map((box) => {
              const turn = rules.begun(box, until);
              boxOf(turn).turn = turn;
              return rules.copyOfTurn(turn);
            }),
          );
        };
      }),

    end: (turn, next) =>
      write((fact) => {
        const box = boxOf(turn);
        const until = fact("turn in outbox.end", () => box.turn.until);
        const announced = fact("announcements in outbox.end", () => box.announced);
        return () => {
          const known = { ...box, announced: announced(), turn: { ...box.turn, until: until() } };
          Object.assign(box, rules.ended(known, turn, next));
          return ok();
        };
      }),
  };
};
