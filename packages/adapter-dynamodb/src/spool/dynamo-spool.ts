import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Clock, err, ok, type PortResult, type Result, type Unavailable } from "@postern/core";
import { frozen } from "@postern/core/store";
import type { Message, Spool, SpoolFull } from "@postern/mail";
import { type HeldBody, type Remembered, receivedBodies } from "@postern/mail/spool-state";
import { unavailable } from "../cause.ts";
import type { Database } from "../database.ts";
import type { Key } from "../table.ts";
import type { SpoolInUse } from "./lease.ts";
import { objectsIn, type StoredObject } from "./objects.ts";
import { CLOSED, plain, storedState } from "./stored-state.ts";

export type DynamoSpoolOptions = {
  /** Must not retry by itself: use `dynamoClient`, with a few seconds for a request, which can be a page of 1 MB. Stays open. */
  readonly client: DynamoDBClient;
  /** The name of a table that `createSpoolTable` has made: not that of the store, and of no other spool. */
  readonly table: string;
  /** Such as `s3Client` makes it. Stays open. */
  readonly s3: S3Client;
  readonly bucket: string;
  /** What the keys of all objects begin with, such as `spool/`; nothing by default. No other objects may have such keys. */
  readonly prefix?: string | undefined;
  /** The most that is kept, in octets: see `Spool.size`. */
  readonly limit: number;
  /** Determines when the lease of another process has ended. */
  readonly clock: Pick<Clock, "now">;
  /** Called for every item that is damaged or was written by a newer version. The key contains ids, never an address. Must not throw. */
  readonly onCorruptItem: (key: Key) => void;
  /** How long a call waits before it is `unavailable`, in milliseconds; 10 seconds by default. */
  readonly timeoutMs?: number | undefined;
};

export type DynamoSpool = Spool & {
  /**
   * Lets other processes have the spool, until it is held or called again. What is in memory stays, and is valid if none of them changed
   * anything. Does nothing while copies that were handed out are not settled: another process would send them too.
   */
  release(): Promise<void>;
  /** Makes sure that this process has the spool: `in_use` while another one does. Whatever is called without it is then `unavailable`. */
  hold(): PortResult<void, SpoolInUse>;
  /** Gives back the lease once the calls under way have ended. Later calls are `unavailable`. Idempotent. */
  close(): Promise<void>;
};

const DEFAULT_TIMEOUT_MS = 10_000;

/** The most that is held of bodies that were received, but not kept yet, in octets. */
const MAX_RECEIVED = 128 * 2 ** 20;

const NO_BODY = unavailable("the body was discarded or is not from this spool");

/**
 * Opens the spool in a table of DynamoDB and a bucket of S3, for one process at a time: `in_use` while another one has its lease. That ends
 * when the other one closes its spool, or a minute after it has stopped for any reason.
 *
 * - When a call returns ok, the change is stored, as a whole; otherwise it is not, unless the outcome is unknown.
 * - A process that has lost the lease, because it was stopped for a while, changes nothing: its calls are `unavailable` until it can take
 *   the lease again. Attempts in progress are not stopped, so copies can be sent twice.
 * - After a failure, what is stored is read again before the next call, for a minute at most.
 * - A message is one object, which is stored before it counts. Bodies are in memory until they are kept, 128 MiB at most; beyond that,
 *   `receive` is `spool_full`. Everything else of all messages is in memory too, except headers.
 * - `take` and `nextDue` take longer the more copies of one account wait: some milliseconds for 100,000.
 * - Objects that no message leads to, because a process has ended between two steps, are deleted by `sweep`, which looks for them once a
 *   day.
 * - What does not parse holds up nothing else: it is as if it were not there. A message keeps its object, as its item may be repaired.
 *
 * It needs the rights `dynamodb:BatchGetItem`, `Query`, `PutItem`, `UpdateItem` and `DeleteItem` on the table, `s3:GetObject`,
 * `s3:PutObject` and `s3:DeleteObject` on the objects, and `s3:ListBucket` on the bucket.
 *
 * @example
 * ```ts
 * const opened = await dynamoSpool({
 *   client: dynamoClient({ region: "eu-central-1" }, 5_000),
 *   table: "postern-spool",
 *   s3: s3Client({ region: "eu-central-1" }),
 *   bucket: "postern-spool",
 *   limit: 2 ** 30,
 *   clock: Date,
 *   onCorruptItem: (key) => console.error("corrupt item", key),
 * });
 * ```
 */
export const dynamoSpool = async ({
  client,
  table,
  s3,
  bucket,
  prefix = "",
  limit,
  clock,
  onCorruptItem,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: DynamoSpoolOptions): Promise<Result<DynamoSpool, SpoolInUse | Unavailable>> => {
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } });
  const database: Database = { documents, table, onCorruptItem, timeoutMs };
  const objects = objectsIn(s3, bucket, prefix, timeoutMs);
  const stored = storedState(database, objects, { limit, clock });
  const { call } = stored;
  const simply = plain(stored);

  /** The octets of bodies that are not kept. */
  let received = 0;
  const bodies = receivedBodies({
    reserve: (octets) => {
      const fits = received + octets <= MAX_RECEIVED && stored.room.reserve(octets);
      if (fits) received += octets;
      return fits;
    },
    release: (octets) => {
      received -= octets;
      stored.room.release(octets);
    },
  });

  /** What becomes of the items with their messages, whose headers are whole unless they are gone. */
  const withMessages = async <Item extends Remembered<StoredObject>, T>(
    items: readonly Item[],
    signal: AbortSignal,
    of: (item: Item, message: Message) => T,
  ): Promise<Result<readonly T[], Unavailable>> => {
    const all = await Promise.all(
      items.map(async (item) => {
        const { message, content } = item;
        const header = content === null ? ok(null) : await objects.header(content, signal);
        return header.map((found) => of(item, found === null ? message : { ...message, header: found }));
      }),
    );
    const done: T[] = [];
    for (const one of all) {
      if (one.isErr()) return err(one.error);
      done.push(one.value);
    }
    return ok(done);
  };

  const opened = await stored.hold();
  if (opened.isErr()) await stored.close();
  return opened.map((id) => ({
    id,

    receive: async (chunks) => (stored.isClosed() ? err(CLOSED) : bodies.receive(chunks)),

    keep: (mailing) => {
      const { message, body } = mailing;
      let held: HeldBody | null = null;
      let moved = 0;
      return call<void, SpoolFull | Unavailable>(
        async ({ state, objectFor, upload }) => {
          if (state.has(message.id)) {
            await body.discard();
            return ok();
          }
          held = bodies.keep(body);
          if (held?.octets == null) return err(NO_BODY);
          const object = objectFor(message, held.size);
          if (!state.keep(mailing, object, held.size)) {
            held.kept = false;
            return err({ code: "spool_full" });
          }
          upload(object, message, held.octets);
          moved = held.size;
          received -= moved;
          return ok();
        },
        () => {
          if (held !== null) held.kept = false;
          received += moved;
          stored.room.force(moved);
        },
      );
    },

    hasRoom: (account) => simply((state) => state.hasRoom(account)),
    largest: () => simply((state) => state.largest()),

    find: (id) =>
      call(async ({ state, signal }) => {
        const found = state.find(id);
        const whole = await withMessages(found === null ? [] : [found], signal, ({ copy }, message) => ({
          copy,
          message,
        }));
        return whole.map(([only = null]) => only);
      }),

    findAll: (message) => simply((state) => state.findAll(message)),

    take: (now, most, except) =>
      call(async ({ state, signal }) => {
        const { copies, more } = state.take(now, most, except);
        const taken = await withMessages(copies, signal, ({ copy, content }, message) => ({
          copy,
          message,
          body: objects.body(content),
        }));
        if (taken.isErr()) for (const { copy } of copies) state.takeBack(copy.id);
        return taken.map((due) => ({ copies: due, more }));
      }),

    nextDue: (after) => simply((state) => state.nextDue(after)),
    settle: (copy, settlement, ifNoneLeft) => simply((state) => state.settle(copy, settlement, ifNoneLeft)),
    report: (copy, outcome, at, reason, ifNoneLeft) =>
      simply((state) => state.report(copy, outcome, at, reason, ifNoneLeft)),
    delay: (copy, reason) => simply((state) => state.delay(copy, reason)),
    uncounted: (most) => simply((state) => state.uncounted(most)),
    counted: (events) => simply((state) => state.counted(events)),

    unlogged: (most) =>
      call(({ state, signal }) =>
        withMessages(state.unlogged(most), signal, ({ content, ...each }, message) => ({ ...each, message })),
      ),

    logged: (revisions) => simply((state) => state.logged(revisions)),

    sweep: (now) =>
      call(async ({ state, tidy }) => {
        const more = state.sweep(now);
        return ok((await tidy(now)) || more);
      }),

    list: (page) => simply((state) => state.list(page)),
    retry: (copy, now) => simply((state) => state.retry(copy, now)),
    resend: (message, copies, now) => simply((state) => state.resend(message, copies, now)),
    drop: (copy, now) => simply((state) => state.drop(copy, now)),
    retryAll: (now) => simply((state) => state.retryAll(now)),
    dropAll: (account, now) => simply((state) => state.dropAll(account, now)),

    setPause: (pause) => call(({ setPause }) => ok(setPause(frozen(pause)))),
    pause: () => call(({ pause }) => ok(pause())),
    hurry: (now) =>
      call(({ pause, setPause }) => {
        const current = pause();
        if (current !== null && current.nextAt > now) setPause(frozen({ ...current, nextAt: now }));
        return ok(pause());
      }),

    size: () => simply((state) => state.size()),

    release: stored.release,
    hold: async () => (await stored.hold()).map(() => undefined),
    close: stored.close,
  }));
};
