import type { DatabaseSync } from "node:sqlite";
import type { Cause } from "@postern/core";
import { causeOf, fromDisk, LATE, MOVED } from "../file/cause.ts";
import { preparedSql } from "../file/prepared-sql.ts";
import { rewriteFirstPage } from "../file/rewrite-first-page.ts";
import { BUSY, FULL, resultCode } from "../file/sqlite-error.ts";
import { type CallName, type Failure, monotonicNow, type Reply, type Request } from "./calls.ts";
import { NeedsRoom, type Reads, type Writes } from "./operations.ts";

/** A call's result, and what to do once it is committed, which must not throw. */
type Outcome = { readonly reply: Reply; readonly after?: (() => void) | undefined };

const failed = (id: number, failure: Failure): Outcome => ({ reply: { id, failure } });

const because = (cause: Cause): Failure => ({ full: false, cause });

/** Whether the call stores a new message, either an arriving one or a notice, or makes room for one. */
const isAboutRoom = ({ name, args }: Request): boolean =>
  name === "keep" || name === "evict" || ((name === "settle" || name === "report") && args.at(-1) !== null);

/** Whether the call fails with `NeedsRoom` if its notice turns out to be needed, which is not unusual. */
const mayNeedRoom = ({ args }: Request): boolean => args.at(-1) === "no room yet";

/** A call that is about room reports that there is none; without room, every other call is `unavailable`. */
const failureOf = (call: Request, thrown: unknown): Failure =>
  thrown instanceof NeedsRoom || (isAboutRoom(call) && resultCode(thrown) === FULL)
    ? { full: true }
    : because(causeOf(thrown));

/**
 * Calls after which others rely on the spool: senders and the store. All other calls keep working on files that were moved or
 * deleted, so that the mail in them is still sent.
 */
const PROMISES: ReadonlySet<CallName> = new Set(["keep", "report", "resend"]);

/** Whether nobody is waiting for the result anymore. */
const isLate = ({ deadline }: Request): boolean => monotonicNow() >= deadline;

/**
 * Answers calls that are waiting at the same time. Writes share a transaction, because flushing the disk takes longer than nearly
 * all of them; one that fails is undone on its own. No call is answered before the commit. Reads come after it. No copy is
 * handed out unless it has been possible to write since the last time that the disk was full: otherwise its outcome could not be
 * stored, and it would be sent again after the next start.
 *
 * @param isInPlace whether the files are still in their place
 */
export const groupCommit = (
  db: DatabaseSync,
  { reads, writes }: { readonly reads: Reads; readonly writes: Writes },
  isInPlace: () => boolean,
): ((calls: readonly Request[]) => readonly Reply[]) => {
  const sql = preparedSql(db);

  /** Sound because each request has the arguments of its own call. */
  const operationOf = (
    { name, args }: Request,
    all: object,
  ): (() => { value: unknown; after?: () => void }) => Reflect.get(all, name).bind(null, ...args);

  /** Whether the database can be written to, as far as is known. */
  let canWrite = false;

  const rollBack = () => {
    // After some errors, SQLite has already done this.
    if (db.isTransaction) db.exec("ROLLBACK");
  };

  const fail = (calls: readonly Request[], thrown: unknown): readonly Outcome[] =>
    calls.map((call) => failed(call.id, failureOf(call, thrown)));

  /** Runs the call in the open transaction. If it throws, the transaction must be undone. */
  const run = (call: Request): Outcome => {
    if (isLate(call)) return failed(call.id, because(LATE));
    const { value, after } = operationOf(call, writes)();
    return { reply: { id: call.id, value }, after };
  };

  /** Runs the call in the open transaction so that it can be undone on its own. */
  const runUndoable = (call: Request): Outcome => {
    sql("SAVEPOINT one_call").run();
    try {
      const outcome = run(call);
      sql("RELEASE one_call").run();
      return outcome;
    } catch (thrown) {
      if (!db.isTransaction) throw thrown;
      db.exec("ROLLBACK TO one_call; RELEASE one_call");
      if (resultCode(thrown) === FULL) canWrite = false;
      return failed(call.id, failureOf(call, thrown));
    }
  };

  /** Runs the calls in one transaction. If it throws, nothing has changed. */
  const inTransaction = (
    calls: readonly Request[],
    runOne: (call: Request) => Outcome,
  ): readonly Outcome[] => {
    let outcomes: readonly Outcome[];
    try {
      sql("BEGIN IMMEDIATE").run();
      outcomes = calls.map(runOne);
      sql("COMMIT").run();
    } catch (thrown) {
      rollBack();
      if (resultCode(thrown) === FULL) canWrite = false;
      throw thrown;
    }
    for (const { after } of outcomes) after?.();
    return outcomes;
  };

  const commit = (calls: readonly Request[]): readonly Outcome[] => {
    if (calls.length === 0) return [];
    // Nearly always, all of them succeed. SQLite copies each page that changes after a savepoint, so there are hardly any at first.
    try {
      return inTransaction(calls, (call) => (mayNeedRoom(call) ? runUndoable : run)(call));
    } catch (thrown) {
      // A lock affects all of them.
      if (calls.length === 1 || resultCode(thrown) === BUSY) return fail(calls, thrown);
    }
    try {
      return inTransaction(calls, runUndoable);
    } catch (thrown) {
      if (resultCode(thrown) === BUSY) return fail(calls, thrown);
      // It may be due to a single call: perhaps only that one does not fit on the disk.
      return calls.flatMap((call) => commit([call]));
    }
  };

  const ensureWritable = () => {
    if (canWrite) return;
    try {
      sql("BEGIN IMMEDIATE").run();
      rewriteFirstPage(db);
      sql("COMMIT").run();
      canWrite = true;
    } finally {
      rollBack();
    }
  };

  const readCommitted = (call: Request): Outcome => {
    if (isLate(call)) return failed(call.id, because(LATE));
    try {
      if (call.name === "take") ensureWritable();
      return { reply: { id: call.id, value: operationOf(call, reads)().value } };
    } catch (thrown) {
      return failed(call.id, failureOf(call, thrown));
    }
  };

  /** Why nothing can be promised; null if it can. */
  const obstacle = (): Cause | null => {
    try {
      return isInPlace() ? null : MOVED;
    } catch (thrown) {
      return fromDisk(thrown);
    }
  };

  return (calls) => {
    const promises = calls.filter(({ name }) => PROMISES.has(name));
    const cause = promises.length === 0 ? null : obstacle();
    const refused = cause === null ? [] : promises.map(({ id }) => failed(id, because(cause)));
    const isRefused = ({ name }: Request): boolean => cause !== null && PROMISES.has(name);
    const committed = commit(calls.filter((call) => call.name in writes && !isRefused(call)));
    const read = calls.filter(({ name }) => name in reads).map(readCommitted);
    return [...refused, ...committed, ...read].map(({ reply }) => reply);
  };
};
