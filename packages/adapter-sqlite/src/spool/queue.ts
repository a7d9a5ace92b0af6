import type { DatabaseSync } from "node:sqlite";
import type { CopyId } from "@postern/core";
import { type AccountQueue, type Copy, emptyTurns, takeInTurns } from "@postern/mail";
import type { Sql } from "../file/prepared-sql.ts";
import { firstReadable, type Row, readable } from "../file/row.ts";
import { copyOf } from "./rows.ts";

/** The queued copies of a spool, in the order in which they are handed out. */
export type Queue = {
  /** Notes that a copy of the party is queued, and due at this time. */
  add(party: string, at: number): void;
  /**
   * Hands out the results of `read` for up to `limit` copies that are due, and tells whether there are more. Nobody else gets these
   * copies until they are removed or put back. Copies that are damaged, or for which `read` throws a `DamagedRow`, are skipped. Hands
   * out nothing if `read` throws anything else.
   */
  take<T>(
    now: number,
    limit: number,
    except: readonly string[],
    read: (copy: Copy) => T,
  ): { readonly taken: readonly T[]; readonly more: boolean };
  /** Puts back copies from `take` that nobody has received. */
  putBack(copies: readonly CopyId[]): void;
  /** Notes that the copy is no longer queued. */
  remove(copy: CopyId): void;
  /** When the next copy that is not handed out is due, after this time. */
  nextDue(after: number): number | null;
};

/** A copy in the queue, and the result of reading it. */
type Item<T> = { readonly id: CopyId; readonly found: T };

export const queueOf = (db: DatabaseSync, sql: Sql): Queue => {
  const handedOut = new Set<string>();
  let turns = emptyTurns();
  /** Changes when another process has changed the database. Null if `turns` may not be complete. */
  let version: unknown = null;

  /** Looks for parties whose copies another process has made due, such as an operator's command. */
  const updateTurns = (): void => {
    const found = sql("PRAGMA data_version").get()?.["data_version"];
    if (found === version) return;
    const parties = sql(
      "SELECT account, min(next_at) AS at FROM copies WHERE state = 'queued' GROUP BY account",
    );
    for (const { account, at } of parties.iterate()) turns.add(String(account), Number(at));
    version = found;
  };

  /** The copies of a party that are queued and not handed out. Must be closed. */
  const partyQueue = <T>(
    account: string,
    now: number,
    read: (copy: Copy) => T,
  ): AccountQueue<Item<T>> & { close(): void } => {
    // Not a shared statement: several parties are read in turns.
    const rows = db
      .prepare(
        "SELECT id, next_at, message, alias FROM copies WHERE state = 'queued' AND account = ? ORDER BY next_at, serial",
      )
      .iterate(account);
    const removed = new Set<unknown>();
    let row = rows.next();
    const first = (): Row | null => {
      while (!row.done && (removed.has(row.value["id"]) || handedOut.has(String(row.value["id"]))))
        row = rows.next();
      return row.done ? null : row.value;
    };
    return {
      nextDue: () => {
        const next = first();
        return next && Number(next["next_at"]);
      },
      shift: () => {
        const next = first();
        if (next === null) return [];
        const { message = null, alias = null } = next;
        const group = sql(`
          SELECT * FROM copies WHERE message = ? AND account = ? AND alias = ? AND state = 'queued' AND next_at <= ?
          ORDER BY serial`).all(message, account, alias, now);
        for (const { id } of group) removed.add(id);
        const copies = firstReadable(group, group.length, copyOf).filter(({ id }) => !handedOut.has(id));
        return copies.flatMap((copy) => {
          const found = readable(read, copy);
          return found === null ? [] : [{ id: copy.id, found }];
        });
      },
      close: () => void rows.return?.(),
    };
  };

  const due = <T>(now: number, limit: number, except: readonly string[], read: (copy: Copy) => T) => {
    const opened: { close(): void }[] = [];
    const open = (party: string) => {
      const queue = partyQueue(party, now, read);
      opened.push(queue);
      return queue;
    };
    try {
      return takeInTurns(turns, open, now, limit, except);
    } finally {
      for (const queue of opened) queue.close();
    }
  };

  return {
    add: (party, at) => turns.add(party, at),
    take: (now, limit, except, read) => {
      try {
        updateTurns();
        const { items, more } = due(now, limit, except, read);
        for (const { id } of items) handedOut.add(id);
        return { taken: items.map(({ found }) => found), more };
      } catch (thrown) {
        // Parties whose turn it was may no longer be waiting for another one.
        turns = emptyTurns();
        version = null;
        throw thrown;
      }
    },
    putBack: (copies) => {
      for (const id of copies) handedOut.delete(id);
      version = null;
    },
    remove: (id) => void handedOut.delete(id),
    nextDue: (after) => {
      const queue = sql(
        "SELECT id, next_at FROM copies WHERE state = 'queued' AND next_at > ? ORDER BY next_at",
      );
      for (const { id, next_at } of queue.iterate(after)) {
        if (!handedOut.has(String(id))) return Number(next_at);
      }
      return null;
    },
  };
};
