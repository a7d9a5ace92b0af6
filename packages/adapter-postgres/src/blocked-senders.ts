import {
  type BlockedSender,
  type Conflict,
  err,
  ok,
  type Result,
  Sender,
  type TooManyBlockedSenders,
} from "@postern/core";
import { type BlockedSenders, pageOf } from "@postern/core/store";
import { BLOCKED_SENDER, blockedSenderColumns, blockedSenderOf } from "./blocked-sender-row.ts";
import { CONTENDED, unavailable } from "./cause.ts";
import { namesOf, placeholders, valuesOf } from "./columns.ts";
import type { Database } from "./database.ts";
import { remainingTime } from "./remaining-time.ts";
import type { Row } from "./row.ts";
import { query, statement } from "./statement.ts";

const names = namesOf(blockedSenderColumns);
const KEY = `$${names.length + 1}`;
const LIMIT = `$${names.length + 2}`;

/** The blocked sender stored with the key, or inserted unless there is no room. If neither, `id_in_use` and `is_full` say why. */
const BLOCK = statement(
  "block_sender",
  `WITH stored AS (
    SELECT ${BLOCKED_SENDER} AS blocked FROM blocked_senders AS b WHERE account = $1 AND lower(sender) = ${KEY}
  ), own AS (
    SELECT ${LIMIT}::bigint > 0 AND count(*) >= ${LIMIT} AS is_full FROM blocked_senders WHERE account = $1
  ), added AS (
    INSERT INTO blocked_senders (${names.join(", ")})
    SELECT ${placeholders(names.length).join(", ")} FROM own WHERE NOT is_full AND NOT EXISTS (SELECT FROM stored)
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT EXISTS (SELECT FROM added) AS added, (SELECT blocked FROM stored) AS stored, own.is_full,
    EXISTS (SELECT FROM blocked_senders WHERE account = $1 AND id = $2) AS id_in_use
  FROM own`,
);

const UNBLOCK = statement("unblock_sender", "DELETE FROM blocked_senders WHERE account = $1 AND id = $2");

const listing = (condition: string) =>
  `SELECT ${BLOCKED_SENDER} AS blocked FROM blocked_senders AS b WHERE account = $1 ${condition} ORDER BY id DESC LIMIT $2`;
const LIST = statement("list_blocked_senders", listing(""));
const LIST_AFTER = statement("list_blocked_senders_after", listing("AND id < $3"));

const CONFLICT: Conflict = { code: "conflict" };

type Blocked = { readonly blocked: BlockedSender; readonly isNew: boolean };

/** The outcome according to the row of `BLOCK`; null if somebody else has blocked the sender just after the statement began. */
const blockedOf = (
  row: Row | undefined,
  blocked: BlockedSender,
  limit: number,
): Result<Blocked | null, Conflict | TooManyBlockedSenders> => {
  const stored = row?.["stored"] ?? null;
  if (row?.["added"] === true) return ok({ blocked, isNew: true });
  if (stored !== null) return ok({ blocked: blockedSenderOf(stored), isNew: false });
  if (row?.["id_in_use"] === true) return err(CONFLICT);
  return row?.["is_full"] === true ? err({ code: "too_many_blocked_senders", limit }) : ok(null);
};

/** How many attempts to make while others block or unblock the same sender. */
const MAX_ATTEMPTS = 8;

export const postgresBlockedSenders = ({ run }: Database): BlockedSenders => ({
  block: async (blocked, { blockedSenders: limit }, timeLeft) => {
    const left = remainingTime(timeLeft);
    const values = [...valuesOf(blockedSenderColumns, blocked), Sender.key(blocked.sender), limit];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const tried = await run(left(), query(BLOCK, ...values), ([row]) => blockedOf(row, blocked, limit));
      if (tried.isErr()) return err(tried.error);
      if (tried.value !== null) return ok(tried.value);
    }
    return err(unavailable(CONTENDED));
  },

  unblock: (account, id, timeLeft) => run(timeLeft, query(UNBLOCK, account, id), () => ok()),

  list: (account, { limit, after }, timeLeft) =>
    run(
      timeLeft,
      after === null ? query(LIST, account, limit + 1) : query(LIST_AFTER, account, limit + 1, after),
      (rows) =>
        ok(
          pageOf(
            rows.map((row) => blockedSenderOf(row["blocked"])),
            limit,
            ({ id }) => id,
          ),
        ),
    ),
});
