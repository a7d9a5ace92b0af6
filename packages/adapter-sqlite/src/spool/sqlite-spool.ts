import { err, ok, type PortResult, type Result, type Unavailable } from "@postern/core";
import {
  EVICTION_THRESHOLD,
  HISTORY_SHARE,
  isWithinShare,
  type MailBody,
  type Mailing,
  type OwnMailing,
  type Spool,
  type SpoolFull,
  spoolOctets,
} from "@postern/mail";
import { CausedError, NO_RESPONSE } from "../file/cause.ts";
import type { OpenError } from "../file/open-error.ts";
import { bodyFiles } from "./body-files.ts";
import type { EvictedFrom, NoticeToKeep, StoredMailing } from "./calls.ts";
import { diskCalls } from "./disk-calls.ts";
import { freeOn, roomFor } from "./disk-room.ts";
import { NOT_RECEIVED, receivedBodies } from "./received-bodies.ts";
import { CLOSED, OPEN_TIMEOUT_MS, startSpoolThread } from "./spool-thread.ts";
import { storedBody } from "./stored-body.ts";

/** With this much free space, in octets, a disk cannot become full within `PLENTY_MS`. */
const PLENTY = 4 * 2 ** 30;
const PLENTY_MS = 1_000;

/** For calls that store no new message. */
const neverFull = (failure: Unavailable | SpoolFull): Unavailable =>
  failure.code === "unavailable" ? failure : { code: "unavailable" };

export type SqliteSpool = Spool & {
  /** Closes the files and releases the lock once the calls under way have ended. Later calls are `unavailable`. Idempotent. */
  close(): Promise<void>;
};

/**
 * Opens the spool in a directory, which is created if it is missing: the database `spool.db`, and a directory for bodies of
 * more than 256 KiB.
 *
 * - Only one spool can have the directory open. Another one, in this process or any other, is refused with `in_use` until this one is
 *   closed or its process has ended for any reason. The exception is `alongside`, for an operator's commands: it opens an existing spool
 *   whether or not a server has it open, and does not migrate it. The server hands out the copies that it retries.
 * - When a call returns ok, the change is on disk. It survives a crash of the process and, provided that the
 *   disk really flushes, of the machine.
 * - A process with fewer than five threads in libuv's pool (`UV_THREADPOOL_SIZE`; 4 by default) writes large bodies one at a time.
 * - SQLite works in a thread of its own. Calls that arrive while others are being committed are committed together.
 * - New messages are `spool_full` while there is no room for the outcomes of the others: 14 MiB on the disk, including the write-ahead log,
 *   plus 2 MiB and a quarter of what is stored, on the disk or unused in the database. Notices to senders may use 2 MiB of that. Bodies
 *   that no copy is waiting for are evicted first. Nothing is left of a body that does not fit.
 * - A copy or message that does not parse holds up nothing else: `take`, `uncounted` and `unlogged` skip it. Calls on it are `unavailable`,
 *   and so is `list` if a queued copy does not parse.
 * - If other programs fill the disk anyway, no copy is handed out until it can be written to again.
 * - A disk that does not respond blocks neither the calling thread nor anything else that the process does with disks: `receive` is
 *   `unavailable` after `timeoutMs`, and at once while large bodies are still waiting for the disk. Files that were begun are deleted when
 *   it responds.
 * - If the database, its log or the directory of bodies is moved, deleted or replaced, `keep`, `report`, `delay` and `resend` are
 *   `unavailable`, because the next start would not find what they store. Copies stored earlier are still handed out.
 * - Opening takes at most a minute.
 * - Files are readable and writable by their owner only. Files that root creates get the owner of their directory.
 *
 * @param limit the most that is kept, in octets: see `Spool.size`
 * @param timeoutMs how long a call waits before it is `unavailable`; 10 seconds by default
 * @param onEnded called with the error if the thread ends although the spool was not closed, because of a defect or for lack of memory. All
 *   later calls are `unavailable`: end the process, so that it is started again
 * @example
 * ```ts
 * const opened = await sqliteSpool({ path: "/var/lib/postern/spool", limit: 2 ** 30 });
 * if (opened.isErr()) throw new Error(opened.error.message);
 * const spool = opened.value;
 * ```
 */
export const sqliteSpool = async ({
  path,
  limit,
  alongside = false,
  timeoutMs = 10_000,
  onEnded,
}: {
  readonly path: string;
  readonly limit: number;
  readonly alongside?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onEnded?: ((error: unknown) => void) | undefined;
}): Promise<Result<SqliteSpool, OpenError>> => {
  const started = await startSpoolThread({
    directory: path,
    alongside,
    timeoutMs,
    openTimeoutMs: OPEN_TIMEOUT_MS,
    onEnded,
  });
  if (started.isErr()) return err(started.error);
  const { id, call, usage, close } = started.value;
  const calls = diskCalls(timeoutMs);
  const files = bodyFiles(path, calls);
  let isClosed = false;
  let reading: Promise<number> | null = null;
  let last = { free: 0, at: Number.NEGATIVE_INFINITY };
  const read = async (): Promise<number> => {
    try {
      last = { free: await calls.inTurn(() => freeOn(path)), at: performance.now() };
      return last.free;
    } finally {
      reading = null;
    }
  };
  /** The free space on the disk. Concurrent calls share a reading. */
  const free = async (): Promise<number> => {
    if (last.free > PLENTY && performance.now() < last.at + PLENTY_MS) return last.free;
    reading ??= read();
    return reading;
  };
  const evictNow = async (octets: number, from: EvictedFrom): PortResult<number> => {
    const evicted = await call("evict", octets, from);
    // There was no room even for that.
    return evicted.orElse((failure) => (failure.code === "spool_full" ? ok(0) : err(failure)));
  };
  /** Evictions in progress. Calls that need room at the same time share one and then check again, so that each transaction stays small. */
  const evicting = new Map<EvictedFrom, Promise<number>>();
  const evict = async (octets: number, from: EvictedFrom): Promise<number> => {
    const evicted = await evictNow(octets, from);
    evicting.delete(from);
    if (evicted.isErr()) throw new CausedError(evicted.error.cause ?? NO_RESPONSE);
    return evicted.value;
  };
  const bodies = receivedBodies({
    limit,
    timeoutMs,
    files,
    stored: () => usage().octets,
    room: async (purpose) => roomFor(purpose, await free(), usage()),
    discard: (file) => call("discard", file),
    evict: (octets, from) => {
      const shared = evicting.get(from) ?? evict(octets, from);
      evicting.set(from, shared);
      return shared;
    },
  });

  /** The mailing as the thread keeps it; null if its body was discarded, or is not from this spool. */
  const toStore = ({ message, copies, body }: Mailing): StoredMailing | null => {
    const received = bodies.find(body);
    return received && { message, copies, body: received };
  };

  /** Makes a call that may keep the notice. Room is made for the notice only once it turns out to be needed. */
  const withNotice = async <T>(
    notice: OwnMailing | null,
    work: (toKeep: NoticeToKeep) => PortResult<T, SpoolFull>,
  ): PortResult<T, SpoolFull> => {
    if (notice === null) return (await work(null)).mapErr(neverFull);
    const without = await work("no room yet");
    if (without.isOk() || without.error.code === "unavailable") return without;
    const size = notice.body.length;
    const space = size + spoolOctets(notice);
    const reserved = await bodies.reserve("notice", space);
    if (reserved.isErr()) return err(reserved.error);
    const result = await work({ ...notice, body: { size, content: notice.body } });
    bodies.release(space);
    return result;
  };

  const readable = (body: StoredMailing["body"]): MailBody => storedBody(body, files);

  return ok({
    id,
    receive: async (chunks) =>
      isClosed ? err({ code: "unavailable", cause: CLOSED }) : bodies.receive(chunks),

    keep: async (mailing) => {
      const space = spoolOctets(mailing);
      const reserved = await bodies.reserve("mail", space);
      if (reserved.isErr()) return err(reserved.error);
      // Not earlier: the body can be discarded while room is being reserved.
      const toKeep = toStore(mailing);
      const kept = toKeep === null ? err(NOT_RECEIVED) : await call("keep", toKeep);
      bodies.release(space);
      if (kept.isErr()) return err(kept.error);
      if (kept.value === "kept") bodies.markKept(mailing.body);
      else await mailing.body.discard();
      return ok();
    },

    hasRoom: async (account) => {
      // Nothing waits that is not stored.
      if (bodies.used() <= limit / 2) return ok(true);
      return (await call("shareOf", account)).map((share) => isWithinShare(share, limit)).mapErr(neverFull);
    },

    largest: async () => (await call("largest", limit * EVICTION_THRESHOLD)).mapErr(neverFull),

    find: async (copy) => (await call("find", copy)).mapErr(neverFull),

    findAll: async (message) => (await call("findAll", message)).mapErr(neverFull),

    take: async (now, most, except) =>
      (await call("take", now, most, except))
        .map(({ copies, more }) => ({
          copies: copies.map(({ body, ...due }) => ({ ...due, body: readable(body) })),
          more,
        }))
        .mapErr(neverFull),

    nextDue: async (after) => (await call("nextDue", after)).mapErr(neverFull),

    settle: (copy, settlement, ifNoneLeft) =>
      withNotice(ifNoneLeft, (notice) => call("settle", copy, settlement, notice)),

    report: (copy, outcome, at, reason, ifNoneLeft) =>
      withNotice(ifNoneLeft, (notice) => call("report", copy, outcome, at, reason, notice)),

    delay: async (copy, reason) => (await call("delay", copy, reason)).mapErr(neverFull),
    uncounted: async (most) => (await call("uncounted", most)).mapErr(neverFull),
    counted: async (events) => (await call("counted", events)).mapErr(neverFull),
    unlogged: async (most) => (await call("unlogged", most)).mapErr(neverFull),
    logged: async (revisions) => {
      const keys = revisions.map(({ id, account, alias, revision }) => ({ id, account, alias, revision }));
      return (await call("logged", keys)).mapErr(neverFull);
    },
    sweep: async (now) => {
      const swept = (await call("sweep", now, limit * HISTORY_SHARE)).mapErr(neverFull);
      const excess = bodies.used() - limit * EVICTION_THRESHOLD;
      if (swept.isErr() || excess <= 0) return swept;
      const released = await evictNow(excess, "anywhere");
      return released.map((octets) => swept.value || (octets > 0 && octets < excess));
    },
    list: async (page) => (await call("list", page)).mapErr(neverFull),
    retry: async (copy, now) => (await call("retry", copy, now)).mapErr(neverFull),
    resend: async (message, copies, now) => (await call("resend", message, copies, now)).mapErr(neverFull),
    retryAll: async (now) => (await call("retryAll", now)).mapErr(neverFull),
    setPause: async (pause) => (await call("setPause", pause)).mapErr(neverFull),
    pause: async () => (await call("pause")).mapErr(neverFull),
    hurry: async (now) => (await call("hurry", now)).mapErr(neverFull),
    dropAll: async (account, now) => (await call("dropAll", account, now)).mapErr(neverFull),
    drop: async (copy, now) => (await call("drop", copy, now)).mapErr(neverFull),
    size: async () =>
      (await call("size")).map((size) => ({ ...size, bytes: bodies.used() })).mapErr(neverFull),
    close: () => {
      isClosed = true;
      return close();
    },
  });
};
