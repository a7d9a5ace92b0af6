import {
  type Clock,
  type CopyId,
  err,
  ok,
  type PortResult,
  type Result,
  type SpoolId,
  type Unavailable,
} from "@postern/core";
import type { ForwardingPause, Message } from "@postern/mail";
import { room, type SpoolRecords, type SpoolState, spoolState } from "@postern/mail/spool-state";
import { unavailable } from "../cause.ts";
import { type Database, transact } from "../database.ts";
import { deadline } from "../send-until-deadline.ts";
import { LEASE_LOST, LEASE_MS, type Lease, leasing, type SpoolInUse } from "./lease.ts";
import { type Objects, octetsOf, type StoredObject } from "./objects.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { type DrainedChanges, inTransactions, pendingChanges } from "./pending-changes.ts";
import { readRecords } from "./read-records.ts";
import { messageKey } from "./spool-items.ts";
import { objectName, tidying } from "./tidy.ts";

/** Reading everything takes about a second for 10,000 messages. */
const READ_TIMEOUT_MS = 60_000;

/** When less than this is left of the lease, it is renewed before anything else. */
const SOON_MS = LEASE_MS / 3;

export const CLOSED = unavailable("the spool is closed");

/** What a call may do with the state, before it waits for anything. All of it is stored before the call returns. */
export type Access = {
  readonly state: SpoolState<StoredObject>;
  /** Ends when the call should. */
  readonly signal: AbortSignal;
  /** The object for a message with a body of this size, in octets. */
  objectFor(message: Message, size: number): StoredObject;
  upload(object: StoredObject, message: Message, body: Uint8Array): void;
  pause(): ForwardingPause | null;
  setPause(pause: ForwardingPause | null): void;
  /** Deletes objects that no message leads to, a part at a time. Returns whether there may be more. */
  tidy(now: number): Promise<boolean>;
};

/** The state of a spool in memory. As long as this process has the lease, it is what is stored. */
export const storedState = (
  database: Database,
  objects: Objects,
  { limit, clock }: { readonly limit: number; readonly clock: Pick<Clock, "now"> },
) => {
  const { timeoutMs } = database;
  const { take, renew, renewal, giveBack } = leasing(database, clock);
  const changes = pendingChanges();
  const inTurn = oneAtATime();
  let isClosed = false;
  /** The lease that was taken last; null before the first one. */
  let lease: Lease | null = null;
  /** Whether nobody else has taken the lease since, as far as this process knows. */
  let isOurs = false;
  /** Whether what is in memory is what was stored at the version of the lease. */
  let isKnown = false;
  let pause: ForwardingPause | null = null;
  /** The sort keys of messages that did not parse when everything was last read. */
  let unreadable: ReadonlySet<string> = new Set();
  /** The copies that were handed out when a call last succeeded. */
  let handedOut: ReadonlySet<CopyId> = new Set();
  const space = room(limit, (octets) => state.evict(octets));

  const objectFor = ({ id, header }: Message, size: number): StoredObject => ({
    name: objectName(lease?.epoch ?? 0, id),
    header: header.length,
    body: size,
  });
  const upload = (object: StoredObject, { header }: Message, body: Uint8Array) =>
    changes.upload({ object, octets: octetsOf(header, body) });

  const stateOf = (stored?: SpoolRecords<StoredObject>): SpoolState<StoredObject> =>
    spoolState({
      limit,
      room: space,
      contentOf: ({ message, body }) => {
        const object = objectFor(message, body.length);
        upload(object, message, body);
        return object;
      },
      changes,
      stored,
      handedOut,
    });
  let state = stateOf();

  const tidy = tidying(objects, (name, message) => {
    const isLedTo = state.messageRecord(message)?.content?.name === name;
    // Its item may be repaired.
    return isLedTo || changes.isForgotten(name) || unreadable.has(messageKey(message).sk);
  });

  /**
   * Takes the lease, and reads what is stored unless that is known. Whatever of this process is still under way will not be applied any
   * more.
   */
  const begin = async (signal: AbortSignal): Promise<Result<Lease, SpoolInUse | Unavailable>> => {
    const taken = await take(signal);
    if (taken.isErr()) return err(taken.error);
    const known = isKnown ? lease?.version : undefined;
    lease = taken.value;
    isOurs = true;
    if (lease.version === known) return ok(lease);
    isKnown = false;
    const stored = await readRecords(database, deadline(READ_TIMEOUT_MS));
    if (stored.isErr()) return err(stored.error);
    changes.clear();
    space.release(state.octets());
    state = stateOf(stored.value.records);
    for (const { copy } of stored.value.strays) changes.copy(copy.id);
    ({ pause, unreadable } = stored.value);
    isKnown = true;
    return ok(lease);
  };

  const lost = (): Result<never, Unavailable> => {
    isOurs = false;
    return err(LEASE_LOST);
  };

  const renewLease = async (current: Lease, signal: AbortSignal): Promise<Result<void, Unavailable>> =>
    (await renew(current, signal)).andThen((isRenewed) => (isRenewed ? ok() : lost()));

  /** Makes sure that what is in memory is what is stored, and that nobody else changes it. */
  const prepare = async (signal: AbortSignal): Promise<Result<void, Unavailable>> => {
    if (isClosed) return err(CLOSED);
    if (isKnown && isOurs && lease !== null)
      return clock.now() < lease.until - SOON_MS ? ok() : renewLease(lease, signal);
    const begun = await begin(signal);
    return begun.map(() => undefined).mapErr((error) => (error.code === "in_use" ? LEASE_LOST : error));
  };

  /** Stores changes. */
  const store = async (
    { uploads, writes, forgotten }: DrainedChanges,
    signal: AbortSignal,
  ): Promise<Result<void, Unavailable>> => {
    for (const { object, octets } of uploads) {
      const uploaded = await objects.put(object, octets, signal);
      if (uploaded.isErr()) return uploaded;
    }
    for (const group of inTransactions(writes)) {
      if (lease === null) return lost();
      const until = clock.now() + LEASE_MS;
      const written = await transact(database, [renewal(lease, until), ...group], signal);
      if (written.isErr()) return written.error.code === "refused" ? lost() : err(written.error);
      lease.until = until;
      lease.version += 1;
    }
    await objects.remove(forgotten);
    changes.deleted(forgotten);
    return ok();
  };

  const renewing = setInterval(() => {
    void inTurn(async () => {
      if (isOurs && lease !== null && lease.until > 0) await renewLease(lease, deadline(timeoutMs));
    });
  }, SOON_MS).unref();
  let closing: Promise<void> | null = null;

  return {
    room: space,

    /** Takes the lease, and reads what is stored unless nothing has changed since. Returns the id of the spool. */
    hold: (): Promise<Result<SpoolId, SpoolInUse | Unavailable>> =>
      inTurn(async () => {
        if (isClosed) return err(CLOSED);
        const signal = deadline(timeoutMs);
        if (isKnown && isOurs && lease !== null) {
          const renewed = await renew(lease, signal);
          if (renewed.isErr()) return err(renewed.error);
          if (renewed.value) return ok(lease.spool);
        }
        return (await begin(signal)).map(({ spool }) => spool);
      }),

    /** Gives the lease back until it is needed again, unless copies are handed out. */
    release: (): Promise<void> =>
      inTurn(async () => {
        if (isOurs && lease !== null && state.handedOut().size === 0)
          await giveBack(lease, deadline(timeoutMs));
      }),

    /**
     * Makes a call in its turn, and stores what it changes. If that fails, nothing of it remains in memory.
     *
     * @param undo called in that case
     */
    call: <T, E>(
      work: (access: Access) => Result<T, E> | Promise<Result<T, E>>,
      undo: () => void = () => {},
    ): Promise<Result<T, E | Unavailable>> => {
      const signal = deadline(timeoutMs);
      return inTurn(async () => {
        const ready = await prepare(signal);
        if (ready.isErr()) return err(ready.error);
        // What bodies have evicted that arrived since the last call. By itself, so that what the call changes fits into a transaction.
        const evicted = changes.drain(database.table, state, pause);
        const working = work({
          state,
          signal,
          objectFor,
          upload,
          pause: () => pause,
          setPause: (after) => {
            pause = after;
            changes.pause();
          },
          tidy: async (now) => lease !== null && tidy(lease, now),
        });
        const changed = changes.drain(database.table, state, pause);
        const result = await working;
        const storedBefore = await store(evicted, signal);
        const stored = storedBefore.isErr() ? storedBefore : await store(changed, signal);
        if (stored.isErr()) {
          isKnown = false;
          undo();
          return err(stored.error);
        }
        handedOut = new Set(state.handedOut());
        return result;
      });
    },

    isClosed: () => isClosed,

    close: (): Promise<void> => {
      closing ??= inTurn(async () => {
        isClosed = true;
        clearInterval(renewing);
        if (isOurs && lease !== null) await giveBack(lease, deadline(timeoutMs));
      });
      return closing;
    },
  };
};

export type StoredState = ReturnType<typeof storedState>;

/** A method that does no more than one of the state. */
export const plain =
  ({ call }: Pick<StoredState, "call">) =>
  <T>(work: (state: Access["state"]) => T): PortResult<T> =>
    call(({ state }) => ok(work(state)));
