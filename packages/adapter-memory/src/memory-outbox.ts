import { ok } from "@postern/core";
import {
  Announcement,
  type AnnouncementPosition,
  frozen,
  type Outbox,
  pageBy,
  type TurnState,
  type WebhookKey,
} from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";
import { placeOf } from "./place-of.ts";

/** What is known about the turns of a webhook. */
type Turns = WebhookKey & {
  readonly announced: Map<AnnouncementPosition, Announcement>;
  /** When the next turn is due; null if nothing was announced when the last one ended. */
  dueAt: number | null;
  /** Until when somebody has the turn. */
  until: number;
  state: TurnState;
};

const START: TurnState = { failures: 0, failingSince: null, after: null };

export const memoryOutbox = (): Outbox => {
  const webhooks = new Map<string, Turns>();

  const turnsOf = ({ account, id }: WebhookKey): Turns =>
    webhooks.get(placeOf({ account, id })) ?? {
      account,
      id,
      announced: new Map(),
      dueAt: null,
      until: 0,
      state: START,
    };

  return {
    announce: async (announcements, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      for (const announcement of announcements) {
        const turns = turnsOf({ account: announcement.account, id: announcement.webhook });
        turns.announced.set(Announcement.position(announcement), frozen(announcement));
        turns.dueAt ??= announcement.at;
        webhooks.set(placeOf(turns), turns);
      }
      return ok();
    },

    list: async (webhook, page, timeLeft) =>
      noTimeLeft(timeLeft) ?? ok(pageBy(turnsOf(webhook).announced.values(), Announcement.position, page)),

    remove: async (announcements, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      for (const announcement of announcements) {
        const { announced } = turnsOf({ account: announcement.account, id: announcement.webhook });
        announced.delete(Announcement.position(announcement));
      }
      return ok();
    },

    begin: async ({ now, until, limit }, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const due = [...webhooks.values()].flatMap((turns) =>
        turns.dueAt !== null && turns.dueAt <= now && turns.until <= now
          ? [{ turns, dueAt: turns.dueAt }]
          : [],
      );
      due.sort((a, b) => a.dueAt - b.dueAt);
      return ok(
        due.slice(0, limit).map(({ turns }) => {
          turns.until = until;
          return frozen({ account: turns.account, id: turns.id, ...turns.state, until });
        }),
      );
    },

    end: async ({ account, id, until }, { dueAt, failures, failingSince, after }, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const turns = turnsOf({ account, id });
      if (turns.until !== until) return ok();
      turns.until = 0;
      turns.state = { failures, failingSince, after };
      turns.dueAt = turns.announced.size > 0 ? dueAt : null;
      if (turns.dueAt === null && failures === 0) webhooks.delete(placeOf(turns));
      return ok();
    },
  };
};
