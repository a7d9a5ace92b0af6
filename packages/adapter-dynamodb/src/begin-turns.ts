import { randomUUID } from "node:crypto";
import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { Outbox, Turn, WantedTurns } from "@postern/core/store";
import { type Database, query, updateIf } from "./database.ts";
import { decode } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { type Key, KeyRange } from "./table.ts";
import { dueFilter, parseTurnsItem, type StoredTurns, takeTurn } from "./turns-item.ts";

/** How many items one query examines, and how many queries a call makes: as many as fit the deadline of a call. */
const EXAMINED = 1_000;
const MAX_QUERIES = 10;

type Due = StoredTurns & { readonly dueAt: number };

const isDue = (turns: StoredTurns, now: number): turns is Due =>
  turns.dueAt !== null && turns.dueAt <= now && (turns.until === null || turns.until <= now);

/** The turns that are due at `now` among those after `start`, and where to continue; undefined if there are no more. */
const findDue = async (
  database: Database,
  now: number,
  start: Key | undefined,
  examined: number,
  signal: AbortSignal,
): Promise<Result<{ readonly due: readonly Due[]; readonly last: Key | undefined }, Unavailable>> => {
  const due: Due[] = [];
  let last = start;
  for (let queries = 0; queries < MAX_QUERIES; queries += 1) {
    const request = { limit: examined, start: last, filter: dueFilter(now) };
    const found = await query(database, KeyRange.turns, request, signal);
    if (found.isErr()) return err(found.error);
    for (const item of found.value.items) {
      // A corrupt item is reported, but must not keep the webhooks of all accounts from getting their turns.
      const turns = decode(database, parseTurnsItem, item);
      if (turns.isOk() && isDue(turns.value, now)) due.push(turns.value);
    }
    last = found.value.last;
    if (last === undefined) break;
  }
  return ok({ due, last });
};

/** Takes the turn; null if somebody else has it. */
const take = async (
  database: Database,
  turns: Due,
  holder: string,
  wanted: WantedTurns,
  signal: AbortSignal,
): Promise<Result<Turn | null, Unavailable>> => {
  const taken = await updateIf(database, takeTurn(turns, holder, wanted), signal);
  if (taken.isErr()) return err(taken.error);
  if (taken.value === null) return ok(null);
  return decode(database, parseTurnsItem, taken.value).map(
    ({ account, id, failures, failingSince, after }): Turn => ({
      account,
      id,
      failures,
      failingSince,
      after,
      until: wanted.until,
    }),
  );
};

/**
 * Finds all due turns among up to 10,000 webhooks that are due or have failed. If there are more, each call examines that many, and
 * continues where the previous one stopped.
 *
 * @param examined how many items one query examines
 */
export const beginTurns = (database: Database, examined = EXAMINED): Outbox["begin"] => {
  let start: Key | undefined;
  return async (wanted, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await findDue(database, wanted.now, start, examined, signal);
    if (found.isErr()) return err(found.error);
    start = found.value.last;
    const left = found.value.due.toSorted((a, b) => a.dueAt - b.dueAt);
    const holder = randomUUID();
    const begun: Turn[] = [];
    while (begun.length < wanted.limit && left.length > 0) {
      const next = left.splice(0, wanted.limit - begun.length);
      const taken = await Promise.all(next.map((turns) => take(database, turns, holder, wanted, signal)));
      begun.push(...taken.flatMap((turn) => turn.unwrapOr(null) ?? []));
      const failed = taken.find((turn) => turn.isErr());
      // The caller must learn which turns have begun.
      if (failed?.isErr()) return begun.length > 0 ? ok(begun) : err(failed.error);
    }
    return ok(begun);
  };
};
