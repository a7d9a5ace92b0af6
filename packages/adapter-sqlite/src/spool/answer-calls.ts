import type { DatabaseSync } from "node:sqlite";
import { CausedError, causeOf, diskError, LATE, MOVED } from "../file/cause.ts";
import { groupCommit, type Write } from "../file/group-commit.ts";
import { preparedSql } from "../file/prepared-sql.ts";
import { FULL, resultCode } from "../file/sqlite-error.ts";
import { inTransaction, rewriteFirstPage } from "../file/transaction.ts";
import { type CallName, monotonicNow, type Reply, type Request } from "./calls.ts";
import { NeedsRoom, type Reads, type Writes } from "./operations.ts";

/** Whether the call stores a new message, either an arriving one or a notice, or makes room for one. */
const isAboutRoom = ({ name, args }: Request): boolean =>
  name === "keep" || name === "evict" || ((name === "settle" || name === "report") && args.at(-1) !== null);

/**
 * Calls after which others rely on the spool: senders and the store. All other calls keep working on files that were moved or
 * deleted, so that the mail in them is still sent.
 */
const PROMISES: ReadonlySet<CallName> = new Set(["keep", "report", "resend"]);

/**
 * Answers calls that are waiting at the same time: writes, which share a transaction, and then reads. No copy is handed out unless it has
 * been possible to write since the last time that the disk was full: otherwise its outcome could not be stored, and it would be sent again
 * after the next start.
 *
 * @param isInPlace whether the files are still in their place
 */
export const answerCalls = (
  db: DatabaseSync,
  { reads, writes }: { readonly reads: Reads; readonly writes: Writes },
  isInPlace: () => boolean,
): ((calls: readonly Request[]) => readonly Reply[]) => {
  // SQLite itself waits for locks.
  const commit = groupCommit({ db, sql: preparedSql(db) }, { retryMs: 0, maxMs: Number.POSITIVE_INFINITY });

  /** Sound because each request has the arguments of its own call. */
  const operationOf = (
    { name, args }: Request,
    all: object,
  ): (() => { value: unknown; after?: () => void }) => Reflect.get(all, name).bind(null, ...args);

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

  const writeOf = (call: Request, reply: (reply: Reply) => void): Write => ({
    deadline: call.deadline - performance.timeOrigin,
    run: () => {
      if (PROMISES.has(call.name)) ensureInPlace();
      const { value, after } = operationOf(call, writes)();
      const tell = () => {
        after?.();
        reply({ id: call.id, value });
      };
      return { keep: true, tell };
    },
    fail: (thrown) => reply(failed(call, thrown)),
  });

  const ensureWritable = () => {
    if (!canWrite) inTransaction(db, () => rewriteFirstPage(db));
    canWrite = true;
  };

  const read = (call: Request): Reply => {
    try {
      if (monotonicNow() >= call.deadline) throw new CausedError(LATE);
      if (call.name === "take") ensureWritable();
      return { id: call.id, value: operationOf(call, reads)().value };
    } catch (thrown) {
      return failed(call, thrown);
    }
  };

  return (calls) => {
    const replies: Reply[] = [];
    const reply = (each: Reply) => void replies.push(each);
    let waiting: readonly Write[] = calls
      .filter(({ name }) => name in writes)
      .map((call) => writeOf(call, reply));
    while (waiting.length > 0) waiting = commit(waiting);
    for (const call of calls.filter(({ name }) => name in reads)) reply(read(call));
    return replies;
  };
};
