import {
  type CopyId,
  type EventId,
  err,
  FAILED_BODY_RETENTION,
  isNonEmpty,
  type MailEvent,
  type MessageId,
  newSpoolId,
  ok,
  parseAccountId,
  type Unavailable,
} from "@postern/core";
import type { AliasKey } from "@postern/core/store";
import {
  type AccountQueue,
  type AliasAddress,
  accountOf,
  aliasOfLog,
  Copy,
  canBeSentAgain,
  changesLog,
  DROPPED,
  EVICTION_THRESHOLD,
  emptyTurns,
  type ForwardingPause,
  failedAt,
  groupOf,
  HISTORY_SHARE,
  isInLogOf,
  isWithinShare,
  LARGEST,
  LONGEST_DELAY,
  MAIL_RETENTION,
  type Mailing,
  type Message,
  type OwnMailing,
  RETRIED,
  rememberedHeader,
  type Spool,
  spoolOctets,
  takeInTurns,
  type UncountedOutcome,
} from "@postern/mail";
import { frozen } from "./frozen.ts";
import { bodyOf, type Content, memoryBodies, room } from "./memory-bodies.ts";
import { pageBy } from "./page.ts";

type StoredMessage = {
  message: Message;
  readonly copies: CopyId[];
  readonly octets: number;
  readonly content: Content;
  /** What is remembered of it takes up so much, once its body is forgotten. */
  history: number;
};

type StoredCopy = {
  copy: Copy;
  handedOut: boolean;
  /** Whether a message was kept because it and all others of its group have failed. */
  noticed: boolean;
};

/** What has to be logged about a message for an alias. */
type LogEntry = { readonly message: MessageId; readonly alias: AliasAddress; revision: number };

type StoredOutcome = { readonly copy: CopyId; readonly event: MailEvent; counted: boolean };

/** How many messages one call of `sweep` handles. */
const SWEPT = 100;

const NO_BODY: Unavailable = {
  code: "unavailable",
  cause: { source: "memory", reason: "the body was discarded or is not from this spool" },
};

const logKey = (message: MessageId, { account, id }: AliasKey): string =>
  JSON.stringify([message, account, id]);

/**
 * An empty spool in memory, for tests and trials. It fulfills the whole contract, except that nothing survives the process.
 *
 * @param limit the most that it holds, in octets: see `Spool.size`
 */
export const memorySpool = ({ limit }: { readonly limit: number }): Spool => {
  const messages = new Map<MessageId, StoredMessage>();
  const copies = new Map<CopyId, StoredCopy>();
  /** In the order in which they were stored. */
  const outcomes = new Map<EventId, StoredOutcome>();
  const log = new Map<string, LogEntry>();
  /** In the order in which they became unlogged. */
  const unlogged = new Set<LogEntry>();
  const space = room(limit, (octets) => evict(octets));
  const bodies = memoryBodies(space);
  const turns = emptyTurns();
  let pause: ForwardingPause | null = null;
  /** The queued copies of each party. */
  const queues = new Map<string, Set<StoredCopy>>();

  /** How much of the limit is taken up by messages with queued copies: of each party, and of all together under null. */
  const shares = new Map<string | null, number>();
  /** How many queued copies a message has: of each party, and all together. */
  const queuedOf = new Map<string, number>();
  const shareOf = (party: string | null) => shares.get(party) ?? 0;

  const queued = () => [...copies.values()].filter(({ copy }) => copy.state === "queued");
  const isQueued = (id: CopyId) => copies.get(id)?.copy.state === "queued";
  const waits = ({ copies }: StoredMessage) => copies.some(isQueued);
  const groupMembers = (copy: Copy) =>
    [...(messages.get(copy.message)?.copies ?? [])]
      .flatMap((id) => copies.get(id) ?? [])
      .filter((other) => groupOf(other.copy) === groupOf(copy));

  /** Notes that the copy is queued now, or no longer. */
  const share = (copy: Copy, change: 1 | -1) => {
    const octets = messages.get(copy.message)?.octets ?? 0;
    for (const party of [accountOf(copy), null]) {
      const key = JSON.stringify([copy.message, party]);
      const before = queuedOf.get(key) ?? 0;
      const after = before + change;
      if (after > 0) queuedOf.set(key, after);
      else queuedOf.delete(key);
      if (before > 0 && after > 0) continue;
      const taken = shareOf(party) + change * octets;
      if (taken > 0) shares.set(party, taken);
      else shares.delete(party);
    }
  };

  /** Keeps the queue of the copy's party up to date. */
  const queue = (stored: StoredCopy) => {
    const { copy } = stored;
    const party = accountOf(copy);
    const others = queues.get(party) ?? new Set();
    const wasQueued = others.has(stored);
    if (copy.state === "queued") {
      queues.set(party, others.add(stored));
      turns.add(party, copy.nextAt);
      if (!wasQueued) share(copy, 1);
    } else if (others.delete(stored)) {
      share(copy, -1);
      if (others.size === 0) queues.delete(party);
    }
  };

  const copiesOf = ({ copies: ids }: StoredMessage) => ids.flatMap((id) => copies.get(id)?.copy ?? []);

  /** Notes that the log no longer says, or does not yet say, what became of the copy. */
  const unlog = (copy: Copy) => {
    const alias = aliasOfLog(copy);
    if (alias === null) return;
    const key = logKey(copy.message, alias);
    const entry = log.get(key) ?? { message: copy.message, alias, revision: 0 };
    entry.revision += 1;
    log.set(key, entry);
    unlogged.add(entry);
  };

  const change = (stored: StoredCopy, after: Copy) => {
    const before = stored.copy;
    stored.copy = frozen(after);
    queue(stored);
    if (changesLog(before, after)) unlog(after);
  };

  const hasBody = ({ content }: StoredMessage) => content.octets !== null;

  /** How much is remembered of all messages whose bodies are forgotten. */
  let history = 0;

  const forgetBody = (stored: StoredMessage) => {
    const { message, content, octets } = stored;
    stored.message = frozen({ ...message, header: rememberedHeader(message.header) });
    stored.history = spoolOctets({ message: stored.message, copies: copiesOf(stored) });
    history += stored.history;
    content.octets = null;
    space.release(octets);
  };

  const forgetMessage = ({ message, copies: ids, history: octets }: StoredMessage) => {
    history -= octets;
    for (const id of ids) {
      const copy = copies.get(id)?.copy;
      const alias = copy && aliasOfLog(copy);
      const entry = alias && log.get(logKey(message.id, alias));
      if (alias != null && entry != null) {
        log.delete(logKey(message.id, alias));
        unlogged.delete(entry);
      }
    }
    messages.delete(message.id);
    for (const id of ids) copies.delete(id);
    const gone = new Set(ids);
    for (const [event, { copy }] of outcomes) if (gone.has(copy)) outcomes.delete(event);
  };

  /** Forgets bodies that no copy waits for, until this many octets are released. Those that could be sent again must be logged again. */
  const evict = (octets: number) => {
    const enough = space.used() - octets;
    const bodies = [...messages.values()]
      .filter((stored) => hasBody(stored) && !waits(stored))
      .map((stored) => ({ stored, at: failedAt(copiesOf(stored)) ?? 0 }))
      .sort((one, other) => one.at - other.at);
    for (const { stored } of bodies) {
      if (space.used() <= enough) return;
      forgetBody(stored);
      for (const copy of copiesOf(stored).filter(canBeSentAgain)) unlog(copy);
    }
  };

  const isWaiting = ({ copy, handedOut }: StoredCopy) => copy.state === "queued" && !handedOut;

  const queueOf = (party: string, now: number): AccountQueue<StoredCopy> => {
    const waiting = [...(queues.get(party) ?? [])]
      .filter(isWaiting)
      .sort((one, other) => one.copy.nextAt - other.copy.nextAt);
    const removed = new Set<StoredCopy>();
    let place = 0;
    const first = () => {
      for (let stored = waiting[place]; stored !== undefined; stored = waiting[place]) {
        if (!removed.has(stored)) return stored;
        place += 1;
      }
      return null;
    };
    return {
      nextDue: () => first()?.copy.nextAt ?? null,
      shift: () => {
        const next = first();
        const group = next === null ? [] : groupMembers(next.copy);
        const due = group.filter((stored) => isWaiting(stored) && stored.copy.nextAt <= now);
        for (const stored of due) removed.add(stored);
        return due;
      },
    };
  };

  const add = (copy: Copy) => {
    const stored = { copy: frozen(copy), handedOut: false, noticed: false };
    copies.set(copy.id, stored);
    queue(stored);
  };

  /** Stores a mailing; there must be room for its body and `octets`. */
  const store = (
    { message, copies: added }: Omit<Mailing, "body">,
    content: Content,
    octets: number,
  ): void => {
    messages.set(message.id, {
      message: frozen(message),
      copies: added.map(({ id }) => id),
      octets: octets + content.size,
      content,
      history: 0,
    });
    for (const copy of added) {
      add(copy);
      const alias = aliasOfLog(copy);
      if (alias !== null && !log.has(logKey(message.id, alias))) unlog(copy);
    }
  };

  /** Keeps the mailing if, for the first time, no copy of the group is left that could arrive, and one has failed. */
  const keepIfNoneLeft = (copy: Copy, mailing: OwnMailing | null): void => {
    const group = groupMembers(copy);
    if (mailing === null || group.some(({ noticed }) => noticed)) return;
    if (!Copy.areLost(group.map((each) => each.copy))) return;
    for (const each of group) each.noticed = true;
    const octets = spoolOctets(mailing);
    const size = mailing.body.length;
    space.force(octets + size);
    store(mailing, { octets: mailing.body.slice(), size, kept: true }, octets);
  };

  const record = (copy: Copy, event: MailEvent): boolean => {
    if (outcomes.has(event.id)) return false;
    outcomes.set(event.id, {
      copy: copy.id,
      event: frozen(event),
      counted: Copy.uncounted(copy, event) === null,
    });
    return true;
  };

  const uncountedOf = ({ copy: id, event }: StoredOutcome): UncountedOutcome | null => {
    const stored = copies.get(id);
    return stored === undefined ? null : Copy.uncounted(stored.copy, event);
  };

  return {
    id: newSpoolId((below) => Math.floor(Math.random() * below)),

    receive: bodies.receive,

    keep: async (mailing) => {
      if (messages.has(mailing.message.id)) {
        await mailing.body.discard();
        return ok();
      }
      const content = bodies.keep(mailing.body);
      if (content === null) return err(NO_BODY);
      const octets = spoolOctets(mailing);
      if (!space.reserve(octets)) {
        content.kept = false;
        return err({ code: "spool_full" });
      }
      store(mailing, content, octets);
      return ok();
    },

    hasRoom: async (account) => ok(isWithinShare({ waiting: shareOf(null), held: shareOf(account) }, limit)),

    largest: async () => {
      if (shareOf(null) <= limit * EVICTION_THRESHOLD) return ok([]);
      const parties = [...shares].sort(([, one], [, other]) => other - one);
      return ok(parties.flatMap(([party]) => parseAccountId(party).unwrapOr([])).slice(0, LARGEST));
    },

    find: async (id) => {
      const copy = copies.get(id)?.copy;
      const message = copy && messages.get(copy.message)?.message;
      return ok(copy === undefined || message === undefined ? null : { copy, message });
    },

    findAll: async (message) =>
      ok((messages.get(message)?.copies ?? []).flatMap((id) => copies.get(id)?.copy ?? [])),

    take: async (now, most, except) => {
      const { items, more } = takeInTurns(turns, (party) => queueOf(party, now), now, most, except);
      const taken = items.flatMap((stored) => {
        const kept = messages.get(stored.copy.message);
        if (kept === undefined) return [];
        stored.handedOut = true;
        return [{ copy: stored.copy, message: kept.message, body: bodyOf(kept.content) }];
      });
      return ok({ copies: taken, more });
    },

    nextDue: async (after) => {
      const times = queued()
        .filter(({ copy, handedOut }) => !handedOut && copy.nextAt > after)
        .map(({ copy }) => copy.nextAt);
      return ok(times.length === 0 ? null : Math.min(...times));
    },

    settle: async (id, settlement, ifNoneLeft) => {
      const stored = copies.get(id);
      if (stored === undefined) return ok();
      stored.handedOut = false;
      const before = stored.copy;
      const isQueued = before.state === "queued";
      if (isQueued) change(stored, Copy.settle(before, settlement));
      for (const event of Copy.counted(before, settlement)) record(stored.copy, event);
      if (isQueued) keepIfNoneLeft(stored.copy, ifNoneLeft);
      return ok();
    },

    report: async (id, outcome, at, reason, ifNoneLeft) => {
      const stored = copies.get(id);
      if (stored === undefined) return ok("unknown");
      for (const event of Copy.implied(stored.copy, outcome, at)) record(stored.copy, event);
      const recorded = record(stored.copy, Copy.outcome(id, outcome, at));
      const after = Copy.report(stored.copy, outcome, at, reason);
      if (recorded || after !== stored.copy) {
        change(stored, after);
        keepIfNoneLeft(stored.copy, ifNoneLeft);
      }
      return ok(recorded ? "recorded" : "duplicate");
    },

    delay: async (id, reason) => {
      const stored = copies.get(id);
      if (stored !== undefined) change(stored, Copy.delay(stored.copy, reason));
      return ok();
    },

    uncounted: async (most) =>
      ok(
        [...outcomes.values()]
          .filter(({ counted }) => !counted)
          .slice(0, most)
          .flatMap((outcome) => uncountedOf(outcome) ?? []),
      ),

    counted: async (events) => {
      for (const id of events) {
        const outcome = outcomes.get(id);
        if (outcome !== undefined) outcome.counted = true;
      }
      return ok();
    },

    unlogged: async (most) =>
      ok(
        [...unlogged].slice(0, most).flatMap(({ message: id, alias, revision }) => {
          const stored = messages.get(id);
          const copies =
            stored === undefined ? [] : copiesOf(stored).filter((copy) => isInLogOf(copy, alias));
          if (stored === undefined || !isNonEmpty(copies)) return [];
          return [{ alias, message: stored.message, copies, hasBody: hasBody(stored), revision }];
        }),
      ),

    logged: async (revisions) => {
      for (const { id, account, alias, revision } of revisions) {
        const entry = log.get(logKey(id, { account, id: alias }));
        if (entry?.revision === revision) unlogged.delete(entry);
      }
      return ok();
    },

    sweep: async (now) => {
      const uncounted = new Set(
        [...outcomes.values()].filter(({ counted }) => !counted).map(({ copy }) => copy),
      );
      const settled = [...messages.values()].filter((stored) => !waits(stored));
      const finished = settled.filter(
        (stored) => hasBody(stored) && (failedAt(copiesOf(stored)) ?? 0) <= now - FAILED_BODY_RETENTION,
      );
      for (const stored of finished.slice(0, SWEPT)) forgetBody(stored);
      evict(space.used() - limit * EVICTION_THRESHOLD);
      let excess = history - limit * HISTORY_SHARE;
      const old = settled
        .filter((stored) => !hasBody(stored) && stored.copies.every((id) => !uncounted.has(id)))
        .sort((one, other) => one.message.createdAt - other.message.createdAt)
        .filter(({ message, history: octets }) => {
          const isTooMuch = excess > 0;
          excess -= octets;
          return isTooMuch || message.createdAt < now - MAIL_RETENTION;
        });
      for (const stored of old.slice(0, SWEPT)) forgetMessage(stored);
      for (const stored of queued()) {
        if (stored.copy.nextAt > now + LONGEST_DELAY) change(stored, Copy.retry(stored.copy, now));
      }
      return ok(finished.length > SWEPT || old.length > SWEPT);
    },

    list: async (page) => {
      const all = queued().map(({ copy }) => copy);
      return ok(pageBy(all, ({ id }) => id, page));
    },

    retry: async (id, now) => {
      const stored = copies.get(id);
      if (stored === undefined) return ok(null);
      const message = messages.get(stored.copy.message);
      if (Copy.canRetry(stored.copy, message !== undefined && hasBody(message))) {
        change(stored, Copy.retry(stored.copy, now));
      }
      return ok(stored.copy.state);
    },

    resend: async (id, again, now) => {
      const message = messages.get(id);
      if (message === undefined || !hasBody(message)) return ok(false);
      for (const copy of again) {
        const stored = copies.get(copy.id);
        if (stored === undefined) {
          message.copies.push(copy.id);
          add(copy);
          unlog(copy);
        } else if (!Copy.canArrive(stored.copy)) {
          change(stored, Copy.retry(stored.copy, now));
        }
      }
      return ok(true);
    },

    drop: async (id, now) => {
      const stored = copies.get(id);
      if (stored?.copy.state === "queued") change(stored, Copy.drop(stored.copy, now));
      return ok(stored?.copy.state ?? null);
    },

    retryAll: async (now) => {
      const later = queued()
        .filter(({ copy }) => copy.nextAt > now)
        .slice(0, RETRIED);
      for (const stored of later) change(stored, Copy.retry(stored.copy, now));
      return ok(later.length);
    },

    setPause: async (after) => {
      pause = frozen(after);
      return ok();
    },

    pause: async () => ok(pause),

    hurry: async (now) => {
      if (pause !== null) pause = frozen({ ...pause, nextAt: Math.min(pause.nextAt, now) });
      return ok(pause);
    },

    dropAll: async (account, now) => {
      const dropped = [...(queues.get(account) ?? [])].slice(0, DROPPED);
      for (const stored of dropped) change(stored, Copy.drop(stored.copy, now));
      return ok(dropped.length);
    },

    size: async () => {
      const waiting = [...messages.values()].filter(waits);
      return ok({
        queued: queued().length,
        bytes: space.used(),
        oldestAt: waiting.length === 0 ? null : Math.min(...waiting.map(({ message }) => message.createdAt)),
        uncounted: [...outcomes.values()].filter(({ counted }) => !counted).length,
        unlogged: unlogged.size,
      });
    },
  };
};
