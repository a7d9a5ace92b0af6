import type { CopyId } from "@postern/core";
import type { Copy } from "../copy/copy.ts";
import { type AccountQueue, accountOf, emptyTurns, takeInTurns } from "../copy/taking.ts";

type StoredCopy = { readonly copy: Copy };

/** What the queue has to know about messages. */
type Messages<Stored> = {
  /** How much of the limit the message of the copy uses, in octets. */
  octetsOf(copy: Copy): number;
  /** The copies that are handed out together with this one. */
  groupOf(copy: Copy): readonly Stored[];
};

/** The queued copies of each party (`accountOf`), how much of the limit their messages use, and which copies are handed out. */
export const copyQueues = <Stored extends StoredCopy>(
  { octetsOf, groupOf }: Messages<Stored>,
  handedOut: Set<CopyId>,
) => {
  const turns = emptyTurns();
  const queues = new Map<string, Set<Stored>>();
  /** How much of the limit is taken up by messages with queued copies: of each party, and of all together under null. */
  const shares = new Map<string | null, number>();
  /** How many queued copies a message has: of each party, and all together. */
  const queuedOf = new Map<string, number>();
  const shareOf = (party: string | null) => shares.get(party) ?? 0;

  /** Notes that the copy is queued now, or no longer. */
  const share = (copy: Copy, change: 1 | -1) => {
    for (const party of [accountOf(copy), null]) {
      const key = JSON.stringify([copy.message, party]);
      const before = queuedOf.get(key) ?? 0;
      const after = before + change;
      if (after > 0) queuedOf.set(key, after);
      else queuedOf.delete(key);
      if (before > 0 && after > 0) continue;
      const taken = shareOf(party) + change * octetsOf(copy);
      if (taken > 0) shares.set(party, taken);
      else shares.delete(party);
    }
  };

  const isWaiting = ({ copy }: Stored) => copy.state === "queued" && !handedOut.has(copy.id);

  const queueOf = (party: string, now: number): AccountQueue<Stored> => {
    const waiting = [...(queues.get(party) ?? [])]
      .filter(isWaiting)
      .sort((one, other) => one.copy.nextAt - other.copy.nextAt);
    const removed = new Set<Stored>();
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
        const group = next === null ? [] : groupOf(next.copy);
        const due = group.filter((stored) => isWaiting(stored) && stored.copy.nextAt <= now);
        for (const stored of due) removed.add(stored);
        return due;
      },
    };
  };

  return {
    shareOf,

    /** The parties whose messages use any of the limit, the largest first. */
    largest: (): readonly string[] =>
      [...shares]
        .sort(([, one], [, other]) => other - one)
        .flatMap(([party]) => (party === null ? [] : [party])),

    /** The queued copies, handed out or not: all, or those of one party. */
    all: (): readonly Stored[] => [...queues.values()].flatMap((queued) => [...queued]),
    of: (party: string): readonly Stored[] => [...(queues.get(party) ?? [])],

    /** Notes the state of the copy, which is new or has changed. */
    update: (stored: Stored): void => {
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
    },

    isWaiting,

    handOut: (now: number, limit: number, except: readonly string[]) => {
      const taken = takeInTurns(turns, (party) => queueOf(party, now), now, limit, except);
      for (const { copy } of taken.items) handedOut.add(copy.id);
      return taken;
    },
  };
};
