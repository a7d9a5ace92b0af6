import {
  type CopyId,
  type EventId,
  FAILED_BODY_RETENTION,
  isNonEmpty,
  type MailEvent,
  type MessageId,
  parseAccountId,
  type Result,
} from "@postern/core";
import { frozen, pageBy } from "@postern/core/store";
import { Copy, LONGEST_DELAY } from "../copy/copy.ts";
import { groupOf } from "../copy/taking.ts";
import type { Message } from "../message/message.ts";
import { rememberedHeader } from "../notices/failure-notice.ts";
import { aliasOfLog, canBeSentAgain, changesLog, failedAt, isInLogOf } from "../outcomes/log-entry.ts";
import {
  DROPPED,
  type DueCopy,
  EVICTION_THRESHOLD,
  HISTORY_SHARE,
  isWithinShare,
  LARGEST,
  MAIL_RETENTION,
  type Mailing,
  type OwnMailing,
  RETRIED,
  type Spool,
  spoolOctets,
  type Taken,
  type Unlogged,
} from "../spool.ts";
import { copyQueues } from "./copy-queues.ts";
import type { Room } from "./room.ts";
import type { CopyRecord, LogRecord, MessageRecord, Remembered } from "./spool-records.ts";

/** How many messages one call of `sweep` handles. */
const SWEPT = 100;

type StoredMessage<Content> = {
  message: Message;
  content: Content | null;
  readonly octets: number;
  readonly copies: StoredCopy[];
};

type StoredOutcome = { readonly copy: StoredCopy; readonly event: MailEvent; place: number | null };

type StoredCopy = {
  copy: Copy;
  readonly place: number;
  noticed: boolean;
  readonly outcomes: StoredOutcome[];
  log: LogRecord | null;
};

/** What was stored: records of messages, and of all of their copies, in any order. */
export type SpoolRecords<Content> = {
  readonly messages: readonly MessageRecord<Content>[];
  readonly copies: readonly CopyRecord[];
};

/** Told which records a call adds, changes or removes, as often as it does. */
export type SpoolChanges<Content> = {
  message(id: MessageId): void;
  copy(id: CopyId): void;
  /** The header and the body that this leads to are forgotten. */
  content(forgotten: Content): void;
};

export type SpoolStateOptions<Content> = {
  /** In octets: see `Spool.size`. */
  readonly limit: number;
  /** Counts the octets that are used, up to the limit. What it evicts is up to `SpoolState.evict`. */
  readonly room: Room;
  /** Makes the content of a message that is kept because others have failed. */
  readonly contentOf: (mailing: OwnMailing) => Content;
  readonly changes: SpoolChanges<Content>;
  readonly stored?: SpoolRecords<Content> | undefined;
  /** The copies that are handed out already. */
  readonly handedOut?: ReadonlySet<CopyId> | undefined;
};

/** A method of a spool that neither waits nor fails. */
type Plain<Method> = Method extends (...args: infer Args) => Promise<Result<infer Value, unknown>>
  ? (...args: Args) => Value
  : never;

type PlainMethods = {
  readonly [Name in
    | "hasRoom"
    | "largest"
    | "findAll"
    | "nextDue"
    | "settle"
    | "report"
    | "delay"
    | "uncounted"
    | "counted"
    | "logged"
    | "sweep"
    | "list"
    | "retry"
    | "resend"
    | "drop"
    | "retryAll"
    | "dropAll"
    | "size"]: Plain<Spool[Name]>;
};

/** The earliest of these times; null without any. There can be more of them than a function takes arguments. */
const earliest = (times: readonly number[]): number | null =>
  times.reduce<number | null>((first, time) => (first === null ? time : Math.min(first, time)), null);

/** Everything that a spool remembers. Methods that a `Spool` has do the same here. */
export type SpoolState<Content> = PlainMethods & {
  has(message: MessageId): boolean;
  /** Keeps a new mailing, whose body uses `size` octets already. Returns whether there was room for the rest of it. */
  keep(mailing: Pick<Mailing, "message" | "copies">, content: Content, size: number): boolean;
  find(copy: CopyId): (Pick<DueCopy, "copy"> & Remembered<Content>) | null;
  take(
    ...args: Parameters<Spool["take"]>
  ): Pick<Taken, "more"> & { readonly copies: readonly (Pick<DueCopy, "copy"> & Remembered<Content>)[] };
  /** Takes back a copy that was handed out: it is handed out again. */
  takeBack(copy: CopyId): void;
  unlogged(limit: number): readonly (Unlogged & Remembered<Content>)[];
  /** Forgets bodies that no copy waits for, until this many octets are released. Those that could be sent again must be logged again. */
  evict(octets: number): void;
  handedOut(): ReadonlySet<CopyId>;
  /** The record of the message, as it is now; null if it is not remembered. */
  messageRecord(id: MessageId): MessageRecord<Content> | null;
  copyRecord(id: CopyId): CopyRecord | null;
  /** How much of the limit messages with their bodies use, in octets. */
  octets(): number;
};

/**
 * The rules of a spool, in memory: every spool that holds what it remembers there is this state, and stores the records that change.
 * Headers and bodies are elsewhere: a `Content` leads to them.
 */
export const spoolState = <Content>({
  limit,
  room,
  contentOf,
  changes,
  stored: { messages: messageRecords, copies: copyRecords } = { messages: [], copies: [] },
  handedOut: alreadyHandedOut = new Set(),
}: SpoolStateOptions<Content>): SpoolState<Content> => {
  const messages = new Map<MessageId, StoredMessage<Content>>();
  const copies = new Map<CopyId, StoredCopy>();
  const outcomes = new Map<EventId, StoredOutcome>();
  /** In the order in which they were stored. */
  const uncounted = new Set<StoredOutcome>();
  /** The copies with what has to be logged, in the order in which they became unlogged. */
  const unlogged = new Set<StoredCopy>();
  let lastPlace = 0;
  const nextPlace = () => {
    lastPlace += 1;
    return lastPlace;
  };

  const copiesOf = (id: MessageId) => messages.get(id)?.copies ?? [];
  const groupMembers = (copy: Copy) =>
    copiesOf(copy.message).filter((other) => groupOf(other.copy) === groupOf(copy));
  const handedOut = new Set(alreadyHandedOut);
  const queues = copyQueues<StoredCopy>(
    { octetsOf: ({ message }) => messages.get(message)?.octets ?? 0, groupOf: groupMembers },
    handedOut,
  );

  const waits = (stored: StoredMessage<Content>) => stored.copies.some(({ copy }) => copy.state === "queued");
  const plainCopies = (stored: StoredMessage<Content>) => stored.copies.map(({ copy }) => copy);

  /** Notes that the log no longer says, or does not yet say, what became of the copy. */
  const unlog = ({ copy }: StoredCopy) => {
    const alias = aliasOfLog(copy);
    if (alias === null) return;
    const first = copiesOf(copy.message).find((other) => isInLogOf(other.copy, alias));
    if (first === undefined) return;
    first.log = { revision: (first.log?.revision ?? 0) + 1, place: first.log?.place ?? nextPlace() };
    unlogged.add(first);
    changes.copy(first.copy.id);
  };

  /** The messages that no copy waited for when they were last sorted, the first to evict at the end; null once a copy has changed. */
  let evictable: StoredMessage<Content>[] | null = null;

  const change = (stored: StoredCopy, after: Copy) => {
    const before = stored.copy;
    if (after === before) return;
    stored.copy = frozen(after);
    evictable = null;
    queues.update(stored);
    changes.copy(after.id);
    if (changesLog(before, after)) unlog(stored);
  };

  const historyOf = (stored: StoredMessage<Content>) =>
    spoolOctets({ message: stored.message, copies: plainCopies(stored) });

  /** How much is remembered of all messages whose bodies are forgotten. */
  let history = 0;

  const forgetBody = (stored: StoredMessage<Content>) => {
    if (stored.content === null) return;
    changes.content(stored.content);
    stored.content = null;
    history += historyOf(stored);
    room.release(stored.octets);
    changes.message(stored.message.id);
  };

  const forgetMessage = (stored: StoredMessage<Content>) => {
    history -= historyOf(stored);
    messages.delete(stored.message.id);
    changes.message(stored.message.id);
    for (const each of stored.copies) {
      const { id } = each.copy;
      copies.delete(id);
      handedOut.delete(id);
      unlogged.delete(each);
      for (const { event } of each.outcomes) outcomes.delete(event.id);
      changes.copy(id);
    }
  };

  const evict = (octets: number) => {
    const enough = room.used() - octets;
    // Sorted once for a body that arrives, each of whose chunks needs room.
    evictable ??= [...messages.values()]
      .filter((stored) => stored.content !== null && !waits(stored))
      .map((stored) => ({ stored, at: failedAt(plainCopies(stored)) ?? 0 }))
      .sort((one, other) => one.at - other.at)
      .map(({ stored }) => stored)
      .reverse();
    while (room.used() > enough) {
      const stored = evictable.pop();
      if (stored === undefined) return;
      if (stored.content === null) continue;
      forgetBody(stored);
      for (const each of stored.copies.filter(({ copy }) => canBeSentAgain(copy))) unlog(each);
    }
  };

  const add = (copy: Copy, to: StoredMessage<Content>): StoredCopy => {
    const stored = { copy: frozen(copy), place: to.copies.length, noticed: false, outcomes: [], log: null };
    copies.set(copy.id, stored);
    to.copies.push(stored);
    evictable = null;
    queues.update(stored);
    changes.copy(copy.id);
    return stored;
  };

  /** Stores a mailing; the octets must be counted already. */
  const store = (mailing: Pick<Mailing, "message" | "copies">, content: Content, octets: number): void => {
    const message = { ...mailing.message, header: rememberedHeader(mailing.message.header) };
    const stored: StoredMessage<Content> = { message: frozen(message), content, octets, copies: [] };
    messages.set(message.id, stored);
    changes.message(message.id);
    const added = mailing.copies.map((copy) => add(copy, stored));
    for (const each of added) {
      const alias = aliasOfLog(each.copy);
      const first = alias && added.find(({ copy }) => isInLogOf(copy, alias));
      if (first === each) unlog(each);
    }
  };

  /** Keeps the mailing if, for the first time, no copy of the group is left that could arrive, and one has failed. */
  const keepIfNoneLeft = (copy: Copy, mailing: OwnMailing | null): void => {
    const group = groupMembers(copy);
    if (mailing === null || group.some(({ noticed }) => noticed)) return;
    if (!Copy.areLost(group.map((each) => each.copy))) return;
    for (const each of group) {
      each.noticed = true;
      changes.copy(each.copy.id);
    }
    const octets = spoolOctets(mailing) + mailing.body.length;
    room.force(octets);
    store(mailing, contentOf(mailing), octets);
  };

  const record = (stored: StoredCopy, event: MailEvent): boolean => {
    if (outcomes.has(event.id)) return false;
    const isToCount = Copy.uncounted(stored.copy, event) !== null;
    const outcome = { copy: stored, event: frozen(event), place: isToCount ? nextPlace() : null };
    outcomes.set(event.id, outcome);
    stored.outcomes.push(outcome);
    if (isToCount) uncounted.add(outcome);
    changes.copy(stored.copy.id);
    return true;
  };

  const restore = () => {
    for (const { message, content, octets } of messageRecords) {
      messages.set(message.id, { message: frozen(message), content, octets, copies: [] });
      if (content !== null) room.force(octets);
    }
    for (const record of [...copyRecords].sort((one, other) => one.place - other.place)) {
      const { copy, outcomes: recorded, ...rest } = record;
      const stored: StoredCopy = { ...rest, copy: frozen(copy), outcomes: [] };
      copies.set(copy.id, stored);
      messages.get(copy.message)?.copies.push(stored);
      queues.update(stored);
      for (const { event, place } of recorded) {
        const outcome = { copy: stored, event: frozen(event), place };
        outcomes.set(event.id, outcome);
        stored.outcomes.push(outcome);
      }
    }
    for (const stored of messages.values()) if (stored.content === null) history += historyOf(stored);
    const placed = [
      ...[...outcomes.values()].map((outcome) => ({
        place: outcome.place,
        add: () => uncounted.add(outcome),
      })),
      ...[...copies.values()].map((stored) => ({
        place: stored.log?.place ?? null,
        add: () => unlogged.add(stored),
      })),
    ];
    for (const { place, add } of placed.sort((one, other) => (one.place ?? 0) - (other.place ?? 0))) {
      if (place === null) continue;
      add();
      lastPlace = place;
    }
    for (const id of handedOut) if (!copies.has(id)) handedOut.delete(id);
  };
  restore();

  const remembered = (id: MessageId): Remembered<Content> | null => {
    const stored = messages.get(id);
    return stored === undefined ? null : { message: stored.message, content: stored.content };
  };

  return {
    has: (id) => messages.has(id),

    keep: (mailing, content, size) => {
      const octets = spoolOctets(mailing);
      if (!room.reserve(octets)) return false;
      store(mailing, content, octets + size);
      return true;
    },

    hasRoom: (account) =>
      isWithinShare({ waiting: queues.shareOf(null), held: queues.shareOf(account) }, limit),

    largest: () => {
      if (queues.shareOf(null) <= limit * EVICTION_THRESHOLD) return [];
      return queues
        .largest()
        .flatMap((party) => parseAccountId(party).unwrapOr([]))
        .slice(0, LARGEST);
    },

    find: (id) => {
      const copy = copies.get(id)?.copy;
      const message = copy && remembered(copy.message);
      return copy === undefined || message == null ? null : { copy, ...message };
    },

    findAll: (id) => copiesOf(id).map(({ copy }) => copy),

    take: (now, most, except) => {
      const { items, more } = queues.handOut(now, most, except);
      const taken = items.flatMap(({ copy }) => {
        const message = remembered(copy.message);
        return message === null ? [] : [{ copy, ...message }];
      });
      return { copies: taken, more };
    },

    takeBack: (id) => {
      const stored = copies.get(id);
      handedOut.delete(id);
      if (stored !== undefined) queues.update(stored);
    },

    nextDue: (after) => {
      const waiting = queues.all().filter((stored) => queues.isWaiting(stored) && stored.copy.nextAt > after);
      return earliest(waiting.map(({ copy }) => copy.nextAt));
    },

    settle: (id, settlement, ifNoneLeft) => {
      const stored = copies.get(id);
      if (stored === undefined) return;
      handedOut.delete(id);
      const before = stored.copy;
      const isQueued = before.state === "queued";
      if (isQueued) change(stored, Copy.settle(before, settlement));
      for (const event of Copy.counted(before, settlement)) record(stored, event);
      if (isQueued) keepIfNoneLeft(stored.copy, ifNoneLeft);
    },

    report: (id, outcome, at, reason, ifNoneLeft) => {
      const stored = copies.get(id);
      if (stored === undefined) return "unknown";
      for (const event of Copy.implied(stored.copy, outcome, at)) record(stored, event);
      const isNew = record(stored, Copy.outcome(id, outcome, at));
      const after = Copy.report(stored.copy, outcome, at, reason);
      if (isNew || after !== stored.copy) {
        change(stored, after);
        keepIfNoneLeft(stored.copy, ifNoneLeft);
      }
      return isNew ? "recorded" : "duplicate";
    },

    delay: (id, reason) => {
      const stored = copies.get(id);
      if (stored !== undefined) change(stored, Copy.delay(stored.copy, reason));
    },

    uncounted: (most) =>
      [...uncounted].slice(0, most).flatMap(({ copy: { copy }, event }) => Copy.uncounted(copy, event) ?? []),

    counted: (events) => {
      for (const id of events) {
        const outcome = outcomes.get(id);
        if (outcome === undefined || !uncounted.delete(outcome)) continue;
        outcome.place = null;
        changes.copy(outcome.copy.copy.id);
      }
    },

    unlogged: (most) =>
      [...unlogged].slice(0, most).flatMap(({ copy: first, log }) => {
        const message = remembered(first.message);
        const alias = aliasOfLog(first);
        if (message === null || alias === null || log === null) return [];
        const all = copiesOf(first.message).flatMap(({ copy }) => (isInLogOf(copy, alias) ? copy : []));
        if (!isNonEmpty(all)) return [];
        return [
          { alias, ...message, copies: all, hasBody: message.content !== null, revision: log.revision },
        ];
      }),

    logged: (revisions) => {
      for (const { id, account, alias, revision } of revisions) {
        const first = copiesOf(id).find(({ copy }) => isInLogOf(copy, { account, id: alias }));
        if (first?.log?.revision !== revision || !unlogged.delete(first)) continue;
        first.log = { revision, place: null };
        changes.copy(first.copy.id);
      }
    },

    sweep: (now) => {
      const settled = [...messages.values()].filter((stored) => !waits(stored));
      const finished = settled.filter(
        (stored) =>
          stored.content !== null && (failedAt(plainCopies(stored)) ?? 0) <= now - FAILED_BODY_RETENTION,
      );
      for (const stored of finished.slice(0, SWEPT)) forgetBody(stored);
      evict(room.used() - limit * EVICTION_THRESHOLD);
      let excess = history - limit * HISTORY_SHARE;
      const isCounted = ({ outcomes: all }: StoredCopy) => all.every(({ place }) => place === null);
      const old = settled
        .filter(({ content, copies: all }) => content === null && all.every(isCounted))
        .sort((one, other) => one.message.createdAt - other.message.createdAt)
        .filter((stored) => {
          const isTooMuch = excess > 0;
          excess -= historyOf(stored);
          return isTooMuch || stored.message.createdAt < now - MAIL_RETENTION;
        });
      for (const stored of old.slice(0, SWEPT)) forgetMessage(stored);
      for (const stored of queues.all()) {
        if (stored.copy.nextAt > now + LONGEST_DELAY) change(stored, Copy.retry(stored.copy, now));
      }
      return finished.length > SWEPT || old.length > SWEPT;
    },

    evict,

    list: (page) =>
      pageBy(
        queues.all().map(({ copy }) => copy),
        ({ id }) => id,
        page,
      ),

    retry: (id, now) => {
      const stored = copies.get(id);
      if (stored === undefined) return null;
      const hasBody = remembered(stored.copy.message)?.content != null;
      if (Copy.canRetry(stored.copy, hasBody)) change(stored, Copy.retry(stored.copy, now));
      return stored.copy.state;
    },

    resend: (id, again, now) => {
      const message = messages.get(id);
      if (message === undefined || message.content === null) return false;
      for (const copy of again) {
        const stored = copies.get(copy.id);
        if (stored === undefined) unlog(add(copy, message));
        else if (!Copy.canArrive(stored.copy)) change(stored, Copy.retry(stored.copy, now));
      }
      return true;
    },

    drop: (id, now) => {
      const stored = copies.get(id);
      if (stored?.copy.state === "queued") change(stored, Copy.drop(stored.copy, now));
      return stored?.copy.state ?? null;
    },

    retryAll: (now) => {
      const later = queues
        .all()
        .filter(({ copy }) => copy.nextAt > now)
        .slice(0, RETRIED);
      for (const stored of later) change(stored, Copy.retry(stored.copy, now));
      return later.length;
    },

    dropAll: (account, now) => {
      const dropped = queues.of(account).slice(0, DROPPED);
      for (const stored of dropped) change(stored, Copy.drop(stored.copy, now));
      return dropped.length;
    },

    size: () => {
      const waiting = [...messages.values()].filter(waits);
      return {
        queued: queues.all().length,
        bytes: room.used(),
        oldestAt: earliest(waiting.map(({ message }) => message.createdAt)),
        uncounted: uncounted.size,
        unlogged: unlogged.size,
      };
    },

    handedOut: () => handedOut,

    octets: () =>
      [...messages.values()].reduce((sum, { content, octets }) => sum + (content === null ? 0 : octets), 0),

    messageRecord: (id) => {
      const stored = messages.get(id);
      if (stored === undefined) return null;
      const { message, content, octets } = stored;
      return { message, content, octets };
    },

    copyRecord: (id) => {
      const stored = copies.get(id);
      if (stored === undefined) return null;
      return { ...stored, outcomes: stored.outcomes.map(({ event, place }) => ({ event, place })) };
    },
  };
};
