import type { DatabaseSync } from "node:sqlite";
import {
  type CopyId,
  FAILED_BODY_RETENTION,
  isNonEmpty,
  type MailEvent,
  parseAccountId,
} from "@postern/core";
import { pageOf } from "@postern/core/store";
import {
  accountOf,
  aliasOfLog,
  Copy,
  type CopyState,
  canBeSentAgain,
  changesLog,
  DROPPED,
  groupWithin,
  LARGEST,
  LONGEST_DELAY,
  MAIL_RETENTION,
  type Message,
  RETRIED,
  rememberedHeader,
  spoolOctets,
  type Unlogged,
} from "@postern/mail";
import { preparedSql } from "../file/prepared-sql.ts";
import { DamagedRow, firstReadable, type Row, stored } from "../file/row.ts";
import type { BodyRemoval } from "./body-files.ts";
import type { CallName, Calls, NoticeToKeep, StoredBody, StoredMailing } from "./calls.ts";
import { queueOf } from "./queue.ts";
import { bodyOf, copyOf, latin1Of, messageOf, PAUSE, pauseOf, uncountedOf } from "./rows.ts";

/** How many messages one call of `sweep` handles. */
const SWEPT = 100;

/**
 * How much of the database one call forgets, in octets. SQLite overwrites this space, first in the log, for which there must be room
 * even when there is none left for new mail.
 */
const FORGOTTEN = 2 * 2 ** 20;

/** For a message that has been logged, or is waiting to be, and has changed since. */
const CHANGED = "DO UPDATE SET revision = revision + 1, place = coalesce(place, excluded.place)";

/** A notice has to be kept, but no room has been made for it yet. */
export class NeedsRoom extends Error {}

/** What a call returns, and what has to be done then, none of which may throw. */
export type Done<T> = {
  readonly value: T;
  /** As soon as its transaction is committed. */
  readonly committed?: () => void;
  /** Once what it returns, or changes, is on the disk. */
  readonly durable?: () => void;
  /** If the caller cannot be given what it returns. */
  readonly undelivered?: () => void;
};

type Operation<Name extends CallName> = (...args: Parameters<Calls[Name]>) => Done<ReturnType<Calls[Name]>>;

/** Calls that change the database. They run in a transaction. */
export type Writes = {
  readonly [Name in
    | "keep"
    | "settle"
    | "report"
    | "delay"
    | "counted"
    | "logged"
    | "sweep"
    | "evict"
    | "retry"
    | "resend"
    | "drop"
    | "dropAll"
    | "retryAll"
    | "setPause"
    | "hurry"]: Operation<Name>;
};

/** Calls that do not change the database. They see what was committed. */
export type Reads = {
  readonly [Name in
    | "shareOf"
    | "largest"
    | "find"
    | "findAll"
    | "take"
    | "putBack"
    | "nextDue"
    | "uncounted"
    | "unlogged"
    | "list"
    | "pause"
    | "size"
    | "discard"]: Operation<Name>;
};

/** The calls on an open spool. They throw what SQLite throws. */
export const operations = (
  db: DatabaseSync,
  files: BodyRemoval,
): { readonly reads: Reads; readonly writes: Writes } => {
  const sql = preparedSql(db);
  const queue = queueOf(db, sql);

  /** Notes that the log of the copy's alias no longer says, or does not yet say, what became of the message. */
  const unlog = (copy: Copy, ifKnown: "DO NOTHING" | typeof CHANGED): void => {
    const alias = aliasOfLog(copy);
    if (alias === null) return;
    sql(`
      INSERT INTO log SELECT ?, ?, ?, 1, coalesce(max(place), 0) + 1 FROM log WHERE place IS NOT NULL
      ON CONFLICT ${ifKnown}`).run(copy.message, alias.account, alias.id);
  };

  const addCopy = (copy: Copy, createdAt: number): void => {
    sql(`
      INSERT INTO copies (
        id, message, created_at, mailbox, purpose, account, alias, state, attempts, next_at, since, reason, delivered_at
      ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      copy.id,
      copy.message,
      createdAt,
      copy.to,
      JSON.stringify(copy.purpose),
      accountOf(copy),
      groupWithin(copy),
      copy.state,
      copy.attempts,
      copy.nextAt,
      copy.since,
      copy.reason,
      copy.deliveredAt,
    );
    queue.add(accountOf(copy), copy.nextAt);
  };

  const keep = ({ message, body, copies }: StoredMailing): "kept" | "known" => {
    const { header, ...facts } = message;
    const added = sql(
      "INSERT INTO messages (id, created_at, facts, header) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    ).run(message.id, message.createdAt, JSON.stringify(facts), Buffer.from(header, "latin1"));
    if (added.changes === 0) return "known";
    sql("INSERT INTO bodies VALUES (?, ?, ?, ?, ?)").run(
      message.id,
      body.size,
      body.size + spoolOctets({ message, copies }),
      "content" in body ? body.content : null,
      "file" in body ? body.file : null,
    );
    for (const copy of copies) {
      addCopy(copy, message.createdAt);
      unlog(copy, "DO NOTHING");
    }
    return "kept";
  };

  const findCopy = (id: CopyId): Copy | null => {
    const row = sql("SELECT * FROM copies WHERE id = ?").get(id);
    return row === undefined ? null : copyOf(row);
  };

  const change = (before: Copy, after: Copy) => {
    const { id, state, attempts, nextAt, since, reason, deliveredAt } = after;
    sql(`
      UPDATE copies SET state = ?, attempts = ?, next_at = ?, since = ?, reason = ?, delivered_at = ? WHERE id = ?`).run(
      state,
      attempts,
      nextAt,
      since,
      reason,
      deliveredAt,
      id,
    );
    if (state === "queued") queue.add(accountOf(after), nextAt);
    if (changesLog(before, after)) unlog(after, CHANGED);
  };

  /** Returns whether the outcome is new. */
  const record = (copy: Copy, event: MailEvent): boolean =>
    sql(
      "INSERT INTO outcomes (id, copy, outcome, at, told) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    ).run(event.id, copy.id, event.outcome, event.at, Copy.uncounted(copy, event) === null ? 1 : 0)
      .changes === 1;

  /** Keeps the mailing if, for the first time, no copy of the group is left that could arrive, and one has failed. */
  const keepIfNoneLeft = (copy: Copy, mailing: NoticeToKeep): void => {
    if (mailing === null) return;
    const group = [copy.message, accountOf(copy), groupWithin(copy)] as const;
    const rows = sql("SELECT * FROM copies WHERE message = ? AND account = ? AND alias = ?").all(...group);
    if (rows.some(({ noticed }) => noticed === 1) || !Copy.areLost(rows.map(copyOf))) return;
    if (mailing === "no room yet") throw new NeedsRoom();
    sql("UPDATE copies SET noticed = 1 WHERE message = ? AND account = ? AND alias = ?").run(...group);
    keep(mailing);
  };

  const bodyRow = (message: string) =>
    sql("SELECT size, content, file FROM bodies WHERE message = ?").get(message);
  const hasBody = (message: string) =>
    sql("SELECT 1 FROM bodies WHERE message = ?").get(message) !== undefined;
  const copyRows = (message: string) =>
    sql("SELECT * FROM copies WHERE message = ? ORDER BY serial").all(message);
  const copiesOf = (message: string) => copyRows(message).map(copyOf);

  const readMessage = (id: string): { readonly message: Message; readonly copies: readonly Copy[] } => {
    const row = sql("SELECT facts, header FROM messages WHERE id = ?").get(id);
    if (row === undefined) throw new DamagedRow("log");
    return { message: messageOf(row), copies: copiesOf(id) };
  };

  /** The first of these messages, as many as one call forgets, and how many octets of the limit are theirs; stops once that is `enough`. */
  const firstOf = (rows: Iterable<Row>, enough: number) => {
    const first: Row[] = [];
    let [released, inDatabase] = [0, 0];
    const isFull = () => first.length >= SWEPT || inDatabase >= FORGOTTEN;
    for (const row of rows) {
      const { octets, size, file } = row;
      first.push(row);
      released += Number(octets);
      inDatabase += Number(octets) - (file === null ? 0 : Number(size));
      if (released >= enough || isFull()) break;
    }
    return { rows: first, released, isFull: isFull() };
  };

  /** Forgets bodies. Returns what to do once that is on the disk: until then, a power failure could bring back rows without their files. */
  const forgetBodies = (rows: readonly Row[]): (() => void) => {
    for (const { message, header, octets, size } of rows) {
      const whole = latin1Of(header);
      const remembered = rememberedHeader(whole);
      sql("UPDATE messages SET header = ?, history = ? WHERE id = ?").run(
        Buffer.from(remembered, "latin1"),
        Number(octets) - Number(size) - whole.length + remembered.length,
        message ?? null,
      );
      sql("DELETE FROM bodies WHERE message = ?").run(message ?? null);
      sql("DELETE FROM finished WHERE message = ?").run(message ?? null);
    }
    return () => {
      for (const { file } of rows) if (file !== null) files.delete(String(file));
    };
  };

  const readPause = () => pauseOf(sql(PAUSE).get());

  const reads: Reads = {
    shareOf: (account) => {
      const { waiting, held } =
        sql("SELECT waiting, (SELECT octets FROM shares WHERE account = ?) AS held FROM total").get(
          account,
        ) ?? {};
      return { value: { waiting: Number(waiting), held: Number(held) } };
    },

    largest: (threshold) => {
      const rows = sql(`
        SELECT account FROM shares WHERE account <> '' AND (SELECT waiting FROM total) > ? ORDER BY octets DESC`);
      const read = ({ account }: Row) => stored("copies", () => parseAccountId(account));
      return { value: firstReadable(rows.iterate(threshold), LARGEST, read) };
    },

    find: (id) => {
      const copy = findCopy(id);
      const message = copy && sql("SELECT facts, header FROM messages WHERE id = ?").get(copy.message);
      return { value: copy && message ? { copy, message: messageOf(message) } : null };
    },

    findAll: (message) => ({ value: copiesOf(message) }),

    take: (now, limit, except) => {
      const known = new Map<string, { readonly message: Message; readonly body: StoredBody }>();
      const { taken, more } = queue.take(now, limit, except, (copy) => {
        let found = known.get(copy.message);
        if (found === undefined) {
          const message = sql("SELECT facts, header FROM messages WHERE id = ?").get(copy.message);
          const body = bodyRow(copy.message);
          if (message === undefined || body === undefined) throw new DamagedRow("copies");
          found = { message: messageOf(message), body: bodyOf(body) };
          known.set(copy.message, found);
        }
        return { copy, ...found };
      });
      const undelivered = () => queue.putBack(taken.map(({ copy }) => copy.id));
      return { value: { copies: taken, more }, undelivered };
    },

    putBack: (copies) => ({ value: queue.putBack(copies) }),

    nextDue: (after) => ({ value: queue.nextDue(after) }),

    uncounted: (limit) => {
      const rows = sql(`
        SELECT o.id AS event, o.outcome, o.at, c.* FROM outcomes AS o JOIN copies AS c ON c.id = o.copy
        WHERE o.told = 0 ORDER BY o.serial`);
      return { value: firstReadable(rows.iterate(), limit, uncountedOf) };
    },

    unlogged: (limit) => {
      const read = new Map<string, ReturnType<typeof readMessage>>();
      const rows = sql("SELECT * FROM log WHERE place IS NOT NULL ORDER BY place").iterate();
      const value = firstReadable(rows, limit, (row): Unlogged => {
        const id = String(row["message"]);
        const found = read.get(id) ?? readMessage(id);
        read.set(id, found);
        const copies = found.copies.filter((copy) => {
          const alias = aliasOfLog(copy);
          return alias !== null && alias.account === row["account"] && alias.id === row["alias"];
        });
        const alias = isNonEmpty(copies) ? aliasOfLog(copies[0]) : null;
        if (!isNonEmpty(copies) || alias === null) throw new DamagedRow("log");
        return {
          alias,
          message: found.message,
          copies,
          hasBody: hasBody(id),
          revision: Number(row["revision"]),
        };
      });
      return { value };
    },

    list: ({ limit, after }) => {
      const rows = sql("SELECT * FROM copies WHERE state = 'queued' AND id > ? ORDER BY id LIMIT ?");
      return { value: pageOf(rows.all(after ?? "", limit + 1).map(copyOf), limit, ({ id }) => id) };
    },

    size: () => {
      const count = (query: string) => Object.values(sql(query).get() ?? {})[0] ?? null;
      const oldestAt = count("SELECT min(created_at) FROM copies WHERE state = 'queued'");
      return {
        value: {
          queued: Number(count("SELECT count(*) FROM copies WHERE state = 'queued'")),
          oldestAt: oldestAt === null ? null : Number(oldestAt),
          uncounted: Number(count("SELECT count(*) FROM outcomes WHERE told = 0")),
          unlogged: Number(count("SELECT count(*) FROM log WHERE place IS NOT NULL")),
        },
      };
    },

    pause: () => ({ value: readPause() }),

    discard: (file) => {
      if (sql("SELECT 1 FROM bodies WHERE file = ?").get(file) === undefined) files.delete(file);
      return { value: undefined };
    },
  };

  const writes: Writes = {
    keep: (mailing) => ({ value: keep(mailing) }),

    settle: (id, settlement, ifNoneLeft) => {
      const copy = findCopy(id);
      const committed = () => queue.remove(id);
      if (copy === null) return { value: undefined, committed };
      for (const event of Copy.counted(copy, settlement)) record(copy, event);
      if (copy.state !== "queued") return { value: undefined, committed };
      change(copy, Copy.settle(copy, settlement));
      keepIfNoneLeft(copy, ifNoneLeft);
      return { value: undefined, committed };
    },

    report: (id, outcome, at, reason, ifNoneLeft) => {
      const copy = findCopy(id);
      if (copy === null) return { value: "unknown" };
      for (const event of Copy.implied(copy, outcome, at)) record(copy, event);
      const recorded = record(copy, Copy.outcome(id, outcome, at));
      const after = Copy.report(copy, outcome, at, reason);
      if (!recorded && after === copy) return { value: "duplicate" };
      change(copy, after);
      keepIfNoneLeft(copy, ifNoneLeft);
      return { value: recorded ? "recorded" : "duplicate" };
    },

    delay: (id, reason) => {
      const copy = findCopy(id);
      if (copy !== null) change(copy, Copy.delay(copy, reason));
      return { value: undefined };
    },

    counted: (events) => {
      for (const id of events) sql("UPDATE outcomes SET told = 1 WHERE id = ?").run(id);
      return { value: undefined };
    },

    logged: (revisions) => {
      const log = sql(
        "UPDATE log SET place = NULL WHERE message = ? AND account = ? AND alias = ? AND revision = ?",
      );
      for (const { id, account, alias, revision } of revisions) log.run(id, account, alias, revision);
      return { value: undefined };
    },

    sweep: (now, most) => {
      const finished = sql(`
        SELECT message, octets, size, file, header FROM finished JOIN bodies USING (message) JOIN messages ON id = message
        WHERE failed_at IS NULL OR failed_at <= ? LIMIT ?`).iterate(now - FAILED_BODY_RETENTION, SWEPT);
      const { rows, isFull } = firstOf(finished, Number.POSITIVE_INFINITY);
      const durable = forgetBodies(rows);
      let excess = Number(sql("SELECT history FROM total").get()?.["history"]) - most;
      const cutoff = now - MAIL_RETENTION;
      const done = sql(`
        SELECT id, created_at, history FROM messages AS m WHERE created_at < ?
        AND NOT EXISTS (SELECT 1 FROM bodies WHERE message = m.id)
        AND NOT EXISTS (
          SELECT 1 FROM copies AS c JOIN outcomes AS o ON o.copy = c.id WHERE c.message = m.id AND o.told = 0
        ) ORDER BY created_at`);
      const old: Row[] = [];
      for (const row of done.iterate(excess > 0 ? Number.MAX_SAFE_INTEGER : cutoff)) {
        const isOld = Number(row["created_at"]) < cutoff;
        if (old.length === SWEPT || !(isOld || excess > 0)) break;
        excess -= Number(row["history"]);
        old.push(row);
      }
      for (const { id } of old) {
        sql("DELETE FROM outcomes WHERE copy IN (SELECT id FROM copies WHERE message = ?)").run(id ?? null);
        sql("DELETE FROM copies WHERE message = ?").run(id ?? null);
        sql("DELETE FROM log WHERE message = ?").run(id ?? null);
        sql("DELETE FROM messages WHERE id = ?").run(id ?? null);
      }
      const queued = sql("SELECT * FROM copies WHERE state = 'queued' AND next_at > ?");
      const late = firstReadable(queued.iterate(now + LONGEST_DELAY), SWEPT, copyOf);
      for (const copy of late) change(copy, Copy.retry(copy, now));
      return { value: isFull || [old, late].some(({ length }) => length === SWEPT), durable };
    },

    evict: (octets, from) => {
      const finished = sql(`
        SELECT message, octets, size, file, header FROM finished JOIN bodies USING (message) JOIN messages ON id = message
        WHERE file IS NOT NULL OR ? = 'anywhere' ORDER BY failed_at LIMIT ?`);
      const { rows, released } = firstOf(finished.iterate(from, SWEPT), octets);
      const durable = forgetBodies(rows);
      // The log still says that they can be sent again.
      for (const { message } of rows) {
        const copies = firstReadable(copyRows(String(message)), Number.POSITIVE_INFINITY, copyOf);
        for (const copy of copies.filter(canBeSentAgain)) unlog(copy, CHANGED);
      }
      return { value: released, durable };
    },

    retry: (id, now) => {
      const copy = findCopy(id);
      if (copy === null) return { value: null };
      const canSend = Copy.canRetry(copy, hasBody(copy.message));
      if (canSend) change(copy, Copy.retry(copy, now));
      return { value: canSend ? "queued" : copy.state };
    },

    resend: (id, copies, now) => {
      const row = sql("SELECT created_at FROM messages WHERE id = ?").get(id);
      if (row === undefined || !hasBody(id)) return { value: false };
      for (const copy of copies) {
        const found = findCopy(copy.id);
        if (found === null) {
          addCopy(copy, Number(row["created_at"]));
          unlog(copy, CHANGED);
          sql("DELETE FROM finished WHERE message = ?").run(id);
        } else if (!Copy.canArrive(found)) change(found, Copy.retry(found, now));
      }
      return { value: true };
    },

    drop: (id, now) => {
      const copy = findCopy(id);
      const state: CopyState | null = copy?.state === "queued" ? "dropped" : (copy?.state ?? null);
      if (copy?.state === "queued") change(copy, Copy.drop(copy, now));
      return { value: state };
    },

    dropAll: (account, now) => {
      const queued = sql(
        "SELECT * FROM copies WHERE state = 'queued' AND account = ? ORDER BY next_at, serial",
      );
      const copies = firstReadable(queued.iterate(account), DROPPED, copyOf);
      for (const copy of copies) change(copy, Copy.drop(copy, now));
      return { value: copies.length };
    },

    retryAll: (now) => {
      const later = sql("SELECT * FROM copies WHERE state = 'queued' AND next_at > ? ORDER BY next_at");
      const copies = firstReadable(later.iterate(now), RETRIED, copyOf);
      for (const copy of copies) change(copy, Copy.retry(copy, now));
      return { value: copies.length };
    },

    setPause: (pause) => {
      sql("DELETE FROM pause").run();
      if (pause !== null) {
        const { reason, cause, since, nextAt } = pause;
        const values = [reason, cause?.source ?? null, cause?.reason ?? null, since, nextAt];
        sql("INSERT INTO pause VALUES (1, ?, ?, ?, ?, ?)").run(...values);
      }
      return { value: undefined };
    },

    hurry: (now) => {
      sql("UPDATE pause SET next_at = min(next_at, ?)").run(now);
      return { value: readPause() };
    },
  };

  return { reads, writes };
};
