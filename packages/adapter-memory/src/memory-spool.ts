import { type EventId, err, ok, type Result, type Unavailable } from "@postern/core";
import {
  Copy,
  type CopyId,
  emptyTurns,
  groupOf,
  MAIL_RETENTION,
  type Mailing,
  type Message,
  type MessageId,
  type PartyQueue,
  partyOf,
  rememberedHeader,
  type Spool,
  spoolOctets,
  takeInTurns,
  type UntoldOutcome,
} from "@postern/core/mail";
import { frozen } from "./frozen.ts";
import { bodyOf, type Content, memoryBodies, room } from "./memory-bodies.ts";
import { pageBy } from "./page.ts";

type StoredMessage = {
  message: Message;
  readonly copies: readonly CopyId[];
  readonly size: number;
  readonly octets: number;
  readonly content: Content;
};

type StoredCopy = {
  copy: Copy;
  handedOut: boolean;
  /** Whether a message was kept because it and all others of its group have failed. */
  noticed: boolean;
};

type StoredOutcome = { readonly copy: CopyId; readonly untold: UntoldOutcome | null; told: boolean };

/** How many messages one call of `sweep` looks after. */
const SWEPT = 100;

const NO_BODY: Unavailable = {
  code: "unavailable",
  cause: { source: "memory", reason: "the body was discarded or is not from this spool" },
};

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
  const space = room(limit);
  const bodies = memoryBodies(space);
  const turns = emptyTurns();
  /** The queued copies of each party. */
  const queues = new Map<string, Set<StoredCopy>>();

  const queued = () => [...copies.values()].filter(({ copy }) => copy.state === "queued");
  const isQueued = (id: CopyId) => copies.get(id)?.copy.state === "queued";
  const waits = ({ copies }: StoredMessage) => copies.some(isQueued);
  const groupMembers = (copy: Copy) =>
    [...(messages.get(copy.message)?.copies ?? [])]
      .flatMap((id) => copies.get(id) ?? [])
      .filter((other) => groupOf(other.copy) === groupOf(copy));

  /** Keeps the queue of its party up to date. */
  const queue = (stored: StoredCopy) => {
    const { copy } = stored;
    const party = partyOf(copy);
    const others = queues.get(party) ?? new Set();
    if (copy.state === "queued") {
      queues.set(party, others.add(stored));
      turns.add(party, copy.nextAt);
    } else if (others.delete(stored) && others.size === 0) queues.delete(party);
  };

  const change = (stored: StoredCopy, fields: Partial<Copy>) => {
    stored.copy = frozen({ ...stored.copy, ...fields });
    queue(stored);
  };

  const isWaiting = ({ copy, handedOut }: StoredCopy) => copy.state === "queued" && !handedOut;

  const queueOf = (party: string, now: number): PartyQueue<StoredCopy> => {
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

  const store = (
    { message, body, copies: added }: Mailing,
    force: boolean,
  ): Result<"kept" | "full", Unavailable> => {
    const octets = spoolOctets({ message, copies: added });
    const content = bodies.keep(body);
    if (content === null) return err(NO_BODY);
    if (force) space.force(octets);
    else if (!space.reserve(octets)) {
      content.kept = false;
      return ok("full");
    }
    messages.set(message.id, {
      message: frozen(message),
      copies: added.map(({ id }) => id),
      size: body.size,
      octets: octets + body.size,
      content,
    });
    for (const copy of added) {
      const stored = { copy: frozen(copy), handedOut: false, noticed: false };
      copies.set(copy.id, stored);
      queue(stored);
    }
    return ok("kept");
  };

  /** Keeps the mailing if all copies of the group have failed now, for the first time. */
  const keepIfNoneLeft = async (copy: Copy, mailing: Mailing | null): Promise<void> => {
    const group = groupMembers(copy);
    const failed = group.every(({ copy, noticed }) => !noticed && ["failed", "expired"].includes(copy.state));
    if (mailing !== null && failed && store(mailing, true).isOk())
      for (const each of group) each.noticed = true;
    await mailing?.body.discard();
  };

  const record = (copy: Copy, event: UntoldOutcome["event"]): boolean => {
    if (outcomes.has(event.id)) return false;
    const untold = Copy.untold(copy, event);
    outcomes.set(event.id, { copy: copy.id, untold: untold && frozen(untold), told: untold === null });
    return true;
  };

  return {
    receive: bodies.receive,

    keep: async (mailing) => {
      if (messages.has(mailing.message.id)) {
        await mailing.body.discard();
        return ok();
      }
      const stored = store(mailing, false);
      if (stored.isErr()) return err(stored.error);
      return stored.value === "full" ? err({ code: "spool_full" }) : ok();
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
        return [{ copy: stored.copy, message: kept.message, body: bodyOf(kept.content, kept.size) }];
      });
      return ok({ copies: taken, more });
    },

    nextDue: async (after) => {
      const times = queued()
        .filter(({ copy, handedOut }) => !handedOut && copy.nextAt > after)
        .map(({ copy }) => copy.nextAt);
      return ok(times.length === 0 ? null : Math.min(...times));
    },

    settle: async (id, { outcomes: added, ...settlement }, ifNoneLeft) => {
      const stored = copies.get(id);
      if (stored?.copy.state !== "queued") {
        await ifNoneLeft?.body.discard();
        return ok();
      }
      stored.handedOut = false;
      change(stored, settlement);
      for (const event of added) record(stored.copy, event);
      await keepIfNoneLeft(stored.copy, ifNoneLeft);
      return ok();
    },

    report: async (id, outcome, at, ifNoneLeft) => {
      const stored = copies.get(id);
      const recorded = stored !== undefined && record(stored.copy, Copy.outcome(id, outcome, at));
      if (!recorded) {
        await ifNoneLeft?.body.discard();
        return ok(stored === undefined ? "unknown" : "duplicate");
      }
      if (outcome === "bounced" && stored.copy.state === "sent") change(stored, { state: "failed" });
      await keepIfNoneLeft(stored.copy, ifNoneLeft);
      return ok("recorded");
    },

    untold: async (most) =>
      ok(
        [...outcomes.values()]
          .filter(({ told }) => !told)
          .slice(0, most)
          .flatMap(({ untold }) => untold ?? []),
      ),

    told: async (events) => {
      for (const id of events) {
        const outcome = outcomes.get(id);
        if (outcome !== undefined) outcome.told = true;
      }
      return ok();
    },

    sweep: async (now) => {
      const untold = new Set([...outcomes.values()].filter(({ told }) => !told).map(({ copy }) => copy));
      const settled = [...messages.values()].filter((stored) => !waits(stored));
      const finished = settled.filter(({ content }) => content.octets !== null);
      const old = settled.filter(
        ({ message, copies }) =>
          message.createdAt < now - MAIL_RETENTION && copies.every((id) => !untold.has(id)),
      );
      for (const stored of finished.slice(0, SWEPT)) {
        const { message, content, octets } = stored;
        stored.message = frozen({ ...message, header: rememberedHeader(message.header) });
        content.octets = null;
        space.release(octets);
      }
      const forgotten = old.filter(({ content }) => content.octets === null).slice(0, SWEPT);
      for (const { message, copies: ids } of forgotten) {
        messages.delete(message.id);
        for (const id of ids) copies.delete(id);
        const gone = new Set(ids);
        for (const [event, { copy }] of outcomes) if (gone.has(copy)) outcomes.delete(event);
      }
      return ok(finished.length > SWEPT || old.length > forgotten.length);
    },

    list: async (page) => {
      const all = queued().map(({ copy }) => copy);
      return ok(pageBy(all, ({ id }) => id, page));
    },

    retry: async (id, now) => {
      const stored = copies.get(id);
      if (stored === undefined) return ok(null);
      const { state, message } = stored.copy;
      const bodyIsThere = messages.get(message)?.content.octets != null;
      if (state === "queued" || (state !== "sent" && bodyIsThere))
        change(stored, { state: "queued", nextAt: now });
      return ok(stored.copy.state);
    },

    drop: async (id) => {
      const stored = copies.get(id);
      if (stored?.copy.state === "queued") {
        change(stored, { state: "dropped" });
        stored.handedOut = false;
      }
      return ok(stored?.copy.state ?? null);
    },

    size: async () => {
      const waiting = [...messages.values()].filter(waits);
      return ok({
        queued: queued().length,
        bytes: space.used(),
        oldestAt: waiting.length === 0 ? null : Math.min(...waiting.map(({ message }) => message.createdAt)),
        untold: [...outcomes.values()].filter(({ told }) => !told).length,
      });
    },
  };
};
