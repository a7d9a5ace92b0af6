import { CausedError, causeOf, diskError, LATE, MOVED } from "../file/cause.ts";
import { groupCommit, type Write } from "../file/group-commit.ts";
import { preparedSql } from "../file/prepared-sql.ts";
import { FULL, resultCode } from "../file/sqlite-error.ts";
import { inTransaction, rewriteFirstPage } from "../file/transaction.ts";
import { type CallName, monotonicNow, type Reply, type Request } from "./calls.ts";
import type { SpoolFile } from "./open-spool.ts";
import { type Done, NeedsRoom, type Reads, type Writes } from "./operations.ts";

/** Whether the call stores a new message, either an arriving one or a notice, or makes room for one. */
const isAboutRoom = ({ name, args }: Request): boolean =>
  name === "keep" || name === "evict" || ((name === "settle" || name === "report") && args.at(-1) !== null);

/**
 * Calls after which others rely on the spool: senders and the store. All other calls keep working on files that were moved or
 * deleted, so that the mail in them is still sent.
 */
const PROMISES: ReadonlySet<CallName> = new Set(["keep", "report", "delay", "resend"]);

/** Callers have deadlines of their own. Replies that are late still matter: copies are put back, and files of bodies deleted. */
const NO_DEADLINE = Number.POSITIVE_INFINITY;

/** The spool does not tell parties apart: what is for nobody in particular concerns all. */
const ALL = "";

/**
 * Answers calls that are waiting at the same time: writes, which share a transaction, and then reads, each once what it has changed or
 * read is on the disk. No copy is handed out unless it has been possible to write since the last time that the disk was full: otherwise its
 * outcome could not be stored, and it would be sent again after the next start.
 *
 * @param isInPlace whether the files are still in their place
 */
export const answerCalls = (
  { db, durability, isInPlace }: Pick<SpoolFile, "db" | "durability" | "isInPlace">,
  { reads, writes }: { readonly reads: Reads; readonly writes: Writes },
  reply: (reply: Reply) => void,
): ((calls: readonly Request[]) => void) => {
  const commit = groupCommit(
    { db, sql: preparedSql(db) },
    {
      // SQLite itself waits for locks.
      retryMs: 0,
      maxMs: Number.POSITIVE_INFINITY,
      beforeBegin: durability.ensure,
      onCommitted: durability.committed,
      afterCommit: (_, tell) => durability.afterWrite(NO_DEADLINE, tell),
    },
  );

  /** Sound because each request has the arguments of its own call. */
  const operationOf = ({ name, args }: Request, all: object): (() => Done<unknown>) =>
    Reflect.get(all, name).bind(null, ...args);

  /** Whether the database can be written to, as far as is known. */
  let canWrite = false;

  /** A call that is about room reports that there is none; without room, every other call is `unavailable`. */
  const failed = (call: Request, thrown: unknown): Reply => {
    const isFull = resultCode(thrown) === FULL;
    if (isFull) canWrite = false;
    const lacksRoom = thrown instanceof NeedsRoom || (isFull && isAboutRoom(call));
    return {
      id: call.id,
      error: lacksRoom ? { code: "spool_full" } : { code: "unavailable", cause: causeOf(thrown) },
    };
  };

  /** Throws if what is stored now would not be found again. */
  const ensureInPlace = () => {
    try {
      if (isInPlace()) return;
    } catch (thrown) {
      throw diskError(thrown);
    }
    throw new CausedError(MOVED);
  };

  const writeOf = (call: Request): Write => ({
    deadline: call.deadline - performance.timeOrigin,
    run: () => {
      if (PROMISES.has(call.name)) ensureInPlace();
      const { value, committed, durable } = operationOf(call, writes)();
      durability.written(ALL);
      const tell = () => {
        durable?.();
        reply({ id: call.id, value });
      };
      return { keep: true, committed, tell };
    },
    fail: (thrown) => reply(failed(call, thrown)),
  });

  const ensureWritable = () => {
    durability.ensure();
    if (!canWrite) {
      inTransaction(db, () => rewriteFirstPage(db));
      durability.written(ALL);
    }
    canWrite = true;
  };

  const read = (call: Request): void => {
    try {
      if (monotonicNow() >= call.deadline) throw new CausedError(LATE);
      if (call.name === "take") ensureWritable();
      const { value, undelivered } = operationOf(call, reads)();
      durability.afterRead(ALL, NO_DEADLINE, (failure) => {
        if (failure === null) return reply({ id: call.id, value });
        undelivered?.();
        reply(failed(call, failure));
      });
    } catch (thrown) {
      reply(failed(call, thrown));
    }
  };

  return (calls) => {
    let waiting: readonly Write[] = calls.filter(({ name }) => name in writes).map(writeOf);
    while (waiting.length > 0) waiting = commit(waiting);
    for (const call of calls.filter(({ name }) => name in reads)) read(call);
  };
};
