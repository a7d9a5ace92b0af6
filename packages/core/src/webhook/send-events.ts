import { err, ok } from "neverthrow";
import type { Suspensions } from "../account/suspensions.ts";
import type { Aliases } from "../alias/aliases.ts";
import { attribution, type KnownContacts } from "../message-log/attributed-message.ts";
import type { MessageLog } from "../message-log/message-log.ts";
import { begin, type TimeLeft, type Timing } from "../operation/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import type { OnUnreported, PortResult } from "../ports/port-result.ts";
import type { Secrets } from "../ports/secrets.ts";
import { isNonEmpty, type NonEmpty } from "../values/non-empty.ts";
import { Announcement } from "./announcement.ts";
import type { NextTurn, Outbox, Turn, TurnState } from "./outbox.ts";
import { turnPlaces } from "./turn-places.ts";
import { Webhook } from "./webhook.ts";
import { aliasEvent, messageEvent, type SubjectEvent } from "./webhook-event.ts";
import type { Delivery, WebhookSending } from "./webhook-sending.ts";
import type { Webhooks } from "./webhooks.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** How many announcements a turn looks at, unless there are more about one subject. */
const ANNOUNCEMENTS_A_TURN = 20;

/** If there are more announcements than this about one subject, some are left to another turn, which sends the event again. */
const MANY_ON_ONE_SUBJECT = 1_000;

/** As many as can be listed or removed in one call. */
const MOST_AT_ONCE = 100;

/** A turn that has taken longer than this begins nothing new. */
const TURN_MS = 30 * SECOND;

/** Longer than a turn can take, including one event that is sent at its end and slow calls to the store. */
const LEASE_MS = 90 * SECOND;

/** How long after its announcement a change can be made: longer than any store takes to save an alias. */
const CHANGE_MS = 60 * SECOND;

/** A request that takes at least this long is slow. It ends the turn, and the webhook rests for as long as it took. */
const SLOW_MS = SECOND;

/** How long a webhook waits if all that a turn found were changes that may still be made, or if others need the place more. */
const LOOK_AGAIN_MS = 5 * SECOND;

const FIRST_REST = 5 * SECOND;
const LONGEST_REST = HOUR;

/** How long an event is retried. */
const RETENTION = DAY;

/** How long a webhook can go without success before it is switched off. */
const OFF_AFTER = 3 * DAY;

const NO_FAILURES = { failures: 0, failingSince: null } as const;

/** What became of an event. */
export type EventOutcome = "delivered" | "failed" | "expired";

export type EventSendingPorts = Timing & {
  /** The same as for `postern`. */
  readonly store: {
    readonly webhooks: Webhooks;
    readonly outbox: Outbox;
    readonly aliases: Aliases;
    readonly messageLog: MessageLog;
    readonly contacts?: KnownContacts;
    readonly suspensions: Suspensions;
  };
  readonly webhookSending: WebhookSending;
  readonly secrets: Pick<Secrets, "hash">;
  readonly clock: Pick<Clock, "now">;
  /** Called with the outcome of each event; a `failed` one is retried. Ignored by default. */
  readonly onEvent?: ((outcome: EventOutcome) => void) | undefined;
  /** Called with each failure of the store that made a turn end early or a subject unreadable. Ignored by default. */
  readonly onUnreported?: OnUnreported | undefined;
};

/** A webhook rests after each failure in a row, longer each time. */
const restAfter = (failures: number): number => Math.min(LONGEST_REST, FIRST_REST * 2 ** (failures - 1));

/** The announcements grouped by subject; those about one subject are next to each other. */
const bySubject = (announcements: readonly Announcement[]): readonly NonEmpty<Announcement>[] => {
  const groups: [Announcement, ...Announcement[]][] = [];
  for (const each of announcements) {
    const group = groups.at(-1);
    if (group?.[0].alias === each.alias && group[0].message === each.message) group.push(each);
    else groups.push([each]);
  }
  return groups;
};

/** The event about a subject as it is now, with its version; null if the subject does not exist, or no longer does. */
type Current = { readonly event: SubjectEvent; readonly version: number } | null;

/** What to do with the announcements about one subject. */
type Decision = {
  /** The event to send; null if there is none. */
  readonly event: SubjectEvent | null;
  /** Announcements that are no longer needed once the event is delivered. The others are of changes that can still be made. */
  readonly settled: readonly Announcement[];
  readonly isExpired: boolean;
};

/**
 * Sends webhooks the events that were announced to them. The content of an event is read when it is sent, so it always shows the latest
 * state. Each event is delivered at least once, in no particular order across subjects. Announcements of changes that were not made are
 * removed after a minute.
 *
 * A webhook that responds with anything but 2xx, or not in time, rests for 5 seconds, then twice as long each time, up to an hour; after
 * that, its other events are tried first. One whose response took a second or longer rests at least as long as it took. Each event is tried
 * for a day. A webhook that has failed for three days, or responds with 410, is switched off. A webhook that is off, or belongs to a suspended account, receives nothing: its announcements are removed.
 *
 * Any number of servers can do this with the same store.
 */
export const eventSending = ({
  store: { webhooks, outbox, aliases, messageLog, contacts, suspensions },
  webhookSending,
  secrets,
  onEvent = () => {},
  onUnreported = () => {},
  ...timing
}: EventSendingPorts) => {
  const { clock } = timing;
  const timeLeft = () => begin(timing)();
  const places = turnPlaces();

  /** The webhook that has the turn, as it is now; null if it must not be sent anything. */
  const listening = async ({ account, id }: Turn): PortResult<Webhook | null> => {
    const [listed, suspendedSince] = await Promise.all([
      webhooks.list(account, timeLeft()),
      suspensions.find(account, timeLeft()),
    ]);
    if (listed.isErr()) return err(listed.error);
    if (suspendedSince.isErr()) return err(suspendedSince.error);
    const webhook = listed.value.find((each) => each.id === id);
    return ok(webhook?.off === null && suspendedSince.value === null ? webhook : null);
  };

  const read = async (turn: Turn, announcements: NonEmpty<Announcement>): PortResult<Current> => {
    const [{ account, alias: id, message: position }] = announcements;
    const found = await aliases.findWithRecipients(account, id, [], timeLeft());
    if (found.isErr()) return err(found.error);
    const { alias } = found.value;
    if (alias === null) return ok(null);
    if (position === null) {
      const isNew = announcements.some(({ version }) => version === 1);
      return ok({ event: aliasEvent(secrets.hash, turn, alias, isNew), version: alias.version });
    }
    const logged = await messageLog.find(alias, position, timeLeft());
    if (logged.isErr()) return err(logged.error);
    const message = logged.value;
    if (message === null) return ok(null);
    const attribute = await attribution(contacts, timeLeft, alias, [message]);
    return attribute.map((to) => ({
      event: messageEvent(secrets.hash, turn, alias, to(message)),
      version: message.revision,
    }));
  };

  const isTooOld = (announcements: NonEmpty<Announcement>): boolean =>
    Math.max(...announcements.map(({ at }) => at)) + RETENTION <= clock.now();

  const decide = (webhook: Webhook, announcements: NonEmpty<Announcement>, current: Current): Decision => {
    const { event, version: made } = current ?? { event: null, version: 0 };
    const now = clock.now();
    const isMade = ({ version }: Announcement) => version <= made;
    const settled = announcements.filter((each) => isMade(each) || each.at + CHANGE_MS <= now);
    const isNews = event !== null && announcements.some(isMade) && Webhook.receives(webhook, event.type);
    const isExpired = isNews && isTooOld(announcements);
    return { event: isNews && !isExpired ? event : null, settled, isExpired };
  };

  /** What to do if the subject cannot be read: it may be damaged. */
  const decideUnread = (announcements: NonEmpty<Announcement>): Decision => {
    const isExpired = isTooOld(announcements);
    return { event: null, settled: isExpired ? announcements : [], isExpired };
  };

  /** A turn at once, as for a webhook to which nothing has been sent yet. */
  const afresh = (): NextTurn => ({ ...NO_FAILURES, after: null, dueAt: clock.now() });

  /** Switches the webhook off, and returns true, unless its owner has changed it in the meantime. */
  const switchOff = async (webhook: Webhook, reason: "failing" | "gone"): PortResult<boolean> => {
    const after = Webhook.switchOff(webhook, reason, clock.now());
    const saved = await webhooks.save(webhook, after, timeLeft());
    if (saved.isOk()) return ok(true);
    return saved.error.code === "conflict" ? ok(false) : err(saved.error);
  };

  /** The next turn after an event that was not delivered. */
  const failed = async (
    webhook: Webhook,
    { failures, failingSince, after }: TurnState,
    { code }: Exclude<Delivery, { readonly code: "delivered" }>,
    rest: number,
  ): PortResult<NextTurn> => {
    const now = clock.now();
    const since = failingSince ?? now;
    const dueAt = now + Math.max(rest, restAfter(failures + 1));
    const next = { failures: failures + 1, failingSince: since, after, dueAt };
    if (code === "failed" && now - since < OFF_AFTER) return ok(next);
    const switchedOff = await switchOff(webhook, code === "gone" ? "gone" : "failing");
    // Its owner may switch it on again at once.
    return switchedOff.map((isOff) => (isOff ? afresh() : next));
  };

  /** Posts the event, and returns also for how long the webhook has to rest because the request was slow. */
  const post = async (webhook: Webhook, event: SubjectEvent) => {
    const timeLeft = begin({ clock, timeoutMs: TURN_MS });
    const delivery = await webhookSending.send(webhook, event);
    const took = TURN_MS - timeLeft();
    const isSlow = took >= SLOW_MS;
    places.note(webhook, isSlow);
    onEvent(delivery.code === "delivered" ? "delivered" : "failed");
    return { delivery, rest: isSlow ? took : 0 };
  };

  /** Removes the newest first, so that if not all are removed, it is still known whether the alias is new. */
  const remove = async (announcements: readonly Announcement[]): PortResult<void> => {
    for (let start = 0; start < announcements.length; start += MOST_AT_ONCE) {
      const some = announcements.slice(start, start + MOST_AT_ONCE);
      const removed = isNonEmpty(some) ? await outbox.remove(some, timeLeft()) : ok();
      if (removed.isErr()) return err(removed.error);
    }
    return ok();
  };

  /** Removes everything that is announced, up to a page at a time. */
  const forget = async (turn: Turn): PortResult<NextTurn> => {
    const found = await outbox.list(turn, { limit: MOST_AT_ONCE, after: null }, timeLeft());
    if (found.isErr()) return err(found.error);
    return (await remove(found.value.items)).map(afresh);
  };

  /**
   * The next announcements, grouped by subject, and whether they are the last ones. Pages do not split a group: otherwise an event would be
   * sent for each part, and only one part says that an alias is new.
   */
  const nextGroups = async (
    turn: Turn,
  ): PortResult<{ readonly groups: readonly NonEmpty<Announcement>[]; readonly areLast: boolean }> => {
    const items: Announcement[] = [];
    let { after } = turn;
    for (;;) {
      const limit = items.length === 0 ? ANNOUNCEMENTS_A_TURN : MOST_AT_ONCE;
      const page = await outbox.list(turn, { limit, after }, timeLeft());
      if (page.isErr()) return err(page.error);
      items.push(...page.value.items);
      const groups = bySubject(items);
      after = page.value.next;
      if (after === null) return ok({ groups, areLast: true });
      if (groups.length > 1) return ok({ groups: groups.slice(0, -1), areLast: false });
      if (items.length >= MANY_ON_ONE_SUBJECT) return ok({ groups, areLast: false });
    }
  };

  /** Sends the events that are announced, from where the last turn stopped. */
  const send = async (turn: Turn, larger?: TimeLeft): PortResult<NextTurn> => {
    const turnLeft = begin({ clock, timeoutMs: TURN_MS }, larger);
    const found = await nextGroups(turn);
    if (found.isErr()) return err(found.error);
    const { groups, areLast } = found.value;
    let state: TurnState = turn;
    let isWaiting = groups.length > 0;
    let isGone = false;
    let isUnreadable = false;
    /** The latest time at which the webhook can last have failed: it has rested since. */
    const failedAt = turn.failures === 0 ? Number.NEGATIVE_INFINITY : clock.now() - restAfter(turn.failures);
    /** Anything announced later is not what the webhook failed on. */
    const wasTried = ({ at }: Announcement) => at <= failedAt;
    for (const announcements of groups) {
      // Somebody else may get this webhook's turn soon.
      if (turnLeft() === 0) return ok({ ...state, dueAt: clock.now() });
      const current = await read(turn, announcements);
      // Right before each event, because the webhook may have been changed or removed, or its account suspended, since the last one. If
      // it must not be sent anything, it does not matter whether the subject can be read.
      const listener = await listening(turn);
      if (listener.isErr()) return err(listener.error);
      if (listener.value === null) return forget(turn);
      state = { ...state, after: Announcement.position(announcements.at(-1) ?? announcements[0]) };
      if (current.isErr()) onUnreported(current.error);
      const webhook = listener.value;
      const { event, settled, isExpired } = current.isOk()
        ? decide(webhook, announcements, current.value)
        : decideUnread(announcements);
      let rest = 0;
      if (event !== null) {
        const posted = await post(webhook, event);
        if (posted.delivery.code !== "delivered") return failed(webhook, state, posted.delivery, posted.rest);
        state = { ...state, ...NO_FAILURES };
        rest = posted.rest;
      }
      if (isExpired) onEvent("expired");
      const removed = await remove(settled);
      if (removed.isErr()) return err(removed.error);
      if (rest > 0 || places.free() === 0) return ok({ ...state, dueAt: clock.now() + rest });
      if (settled.length > 0) isWaiting = false;
      if (current.isErr() && !isExpired) isUnreadable = true;
      if (current.isOk() && current.value === null) isGone ||= settled.some(wasTried);
    }
    // Nothing is left to send, and what the webhook failed on is gone: an alias was erased, for example.
    if (isGone && turn.after === null && areLast && !isUnreadable) state = { ...state, ...NO_FAILURES };
    const after = areLast ? null : state.after;
    const pause = isUnreadable && areLast ? LEASE_MS : isWaiting ? LOOK_AGAIN_MS : 0;
    return ok({ ...state, after, dueAt: clock.now() + pause });
  };

  const takeTurn = async (turn: Turn, larger?: TimeLeft): Promise<void> => {
    const next = await send(turn, larger);
    // If this turn is not ended, the webhook has its next turn when this one expires.
    const ended = next.isErr() ? next : await outbox.end(turn, next.value, timeLeft());
    if (ended.isErr()) onUnreported(ended.error);
  };

  /** Leaves the turn to others, such as another server. */
  const pass = async (turn: Turn): Promise<void> => {
    const ended = await outbox.end(turn, { ...turn, dueAt: clock.now() + LOOK_AGAIN_MS }, timeLeft());
    if (ended.isErr()) onUnreported(ended.error);
  };

  return {
    /**
     * Begins the turns that are due, for at most 500 webhooks at the same time, and returns how many it has begun. Does not wait for them:
     * call it again soon.
     *
     * An account whose endpoints are slow delays only its own events: when many requests are under way, each account gets fewer turns, and
     * webhooks that were slow before have to wait.
     *
     * @param larger the time in which the turns may begin to send an event; by default, that is up to them. They end soon after it, and
     * leave what is left to the next turn
     */
    beginTurns: async (larger?: TimeLeft): PortResult<number> => {
      const now = clock.now();
      let count = 0;
      for (;;) {
        const limit = Math.min(places.free(), MOST_AT_ONCE);
        if (limit === 0) return ok(count);
        const begun = await outbox.begin({ now, until: clock.now() + LEASE_MS, limit }, timeLeft());
        if (begun.isErr()) return err(begun.error);
        const passed: Promise<void>[] = [];
        for (const turn of begun.value) {
          if (!places.mayTake(turn)) passed.push(pass(turn));
          else {
            places.take(turn, takeTurn(turn, larger));
            count += 1;
          }
        }
        await Promise.all(passed);
        if (begun.value.length < limit) return ok(count);
      }
    },

    /** Resolves when every turn that was begun has ended: within a minute and a half. */
    turnsEnded: places.ended,
  };
};

export type EventSending = ReturnType<typeof eventSending>;
