import { randomUUID } from "node:crypto";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import { countItems, type Database, readOne, transact, type Write } from "./database.ts";
import { decode } from "./item.ts";
import type { Refused } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";
import {
  beginCount,
  type Counts,
  changeCounts,
  forgetCounts,
  leaveUncounted,
  parseUsageItem,
  storeCounts,
  type Usage,
} from "./usage-item.ts";

/*
 * What an account has is counted in the transactions that change it, so limits are exact. An account that predates limits
 * is counted when a limit first has to be checked.
 *
 * Counting takes several requests and must not miss a concurrent write, so the item contains a token in the meantime:
 * every write that changes what is counted deletes or replaces the token, and the result is stored only if the token is
 * unchanged. An account that has nothing needs no token: any concurrent addition stores an item, so the result is refused.
 */

/** Which items are counted, and the key of the counts. */
export type Counted = { readonly range: KeyRange; readonly usage: Key };

export const Counted = {
  aliases: (account: AccountId): Counted => ({
    range: KeyRange.aliases(account),
    usage: Key.usage(account, "aliases"),
  }),

  recipients: (account: AccountId): Counted => ({
    range: KeyRange.recipients(account),
    usage: Key.usage(account, "recipients"),
  }),
};

const NO_LIMITS: Counts = { total: 0, unverified: 0 };

/** The limits for a count that only has to find out whether there is anything. */
const ONE: Counts = { total: 1, unverified: 0 };

const reachedLimit = (counts: Counts, limits: Counts): keyof Counts | null => {
  if (limits.total > 0 && counts.total >= limits.total) return "total";
  return limits.unverified > 0 && counts.unverified >= limits.unverified ? "unverified" : null;
};

/** Counts the items in the range, until a limit is reached. */
const count = async (
  database: Database,
  range: KeyRange,
  limits: Counts,
  signal: AbortSignal,
): Promise<Result<Counts, Unavailable>> => {
  const filter = { expression: "attribute_type(verifiedAt, :null)", values: { ":null": "NULL" } };
  let counts: Counts = { total: 0, unverified: 0 };
  let start: Key | undefined;
  do {
    const limit = limits.total === 0 ? undefined : limits.total;
    const page = await countItems(database, range, { limit, start, filter }, signal);
    if (page.isErr()) return err(page.error);
    const { examined, matching, last } = page.value;
    counts = { total: counts.total + examined, unverified: counts.unverified + matching };
    start = last;
  } while (start !== undefined && reachedLimit(counts, limits) === null);
  return ok(counts);
};

const sum = (a: Counts, b: Counts): Counts => ({
  total: a.total + b.total,
  unverified: a.unverified + b.unverified,
});

type Addition = {
  readonly counted: Counted;
  /** How much is added. */
  readonly change: Counts;
  /** 0 means no limit. */
  readonly limits: Counts;
};

const readUsage = async (
  database: Database,
  key: Key,
  signal: AbortSignal,
): Promise<Result<Usage, Unavailable>> => {
  const item = await readOne(database, key, signal);
  if (item.isErr()) return err(item.error);
  return item.value === undefined
    ? ok({ counts: null, token: null })
    : decode(database, parseUsageItem, item.value);
};

/**
 * Counts what the account has. Returns the write to try next, which counts the addition too, or leaves the account
 * uncounted if there is no limit; or returns the limit that the addition would exceed.
 */
const countAll = async (
  database: Database,
  { counted: { range, usage }, change, limits }: Addition,
  token: string | null,
  signal: AbortSignal,
): Promise<Result<Write | keyof Counts, Unavailable>> => {
  const { table } = database;
  const unlimited = limits.total === 0 && limits.unverified === 0;
  const enough = unlimited || token === null ? ONE : limits;
  const counts = await count(database, range, enough, signal);
  if (counts.isErr()) return err(counts.error);
  if (counts.value.total === 0) return ok(storeCounts(table, usage, change, token));
  if (unlimited) return ok(leaveUncounted(table, usage, randomUUID()));
  if (token !== null) {
    const reached = reachedLimit(counts.value, limits);
    return ok(reached ?? storeCounts(table, usage, sum(counts.value, change), token));
  }
  const begun = await transact(database, [beginCount(table, usage, randomUUID())], signal);
  if (begun.isErr() && begun.error.code === "unavailable") return err(begun.error);
  // This will be refused, because nothing is counted yet, and lead back here, with the token.
  return ok(changeCounts(table, usage, change, limits));
};

/** `reached` is the limit that the addition would exceed; null if none is known to be reached. */
type AdditionRefused = Refused & { readonly reached: keyof Counts | null };

/** Applies all writes, which add something, unless that would exceed a limit. `refused[i]` is about `writes[i]`. */
export const addCounted = async (
  database: Database,
  addition: Addition,
  writes: readonly Write[],
  signal: AbortSignal,
): Promise<Result<void, AdditionRefused | Unavailable>> => {
  const { counted, change, limits } = addition;
  let counting = changeCounts(database.table, counted.usage, change, limits);
  for (;;) {
    const added = await transact(database, [...writes, counting], signal);
    if (added.isOk()) return ok();
    if (added.error.code === "unavailable") return err(added.error);
    const { refused } = added.error;
    const refuse = (reached: keyof Counts | null) => err({ code: "refused" as const, refused, reached });
    if (refused.at(-1) !== true) return refuse(null);
    const usage = await readUsage(database, counted.usage, signal);
    if (usage.isErr()) return err(usage.error);
    const { counts } = usage.value;
    const reached = counts === null ? null : reachedLimit(counts, limits);
    if (reached !== null || refused.slice(0, -1).includes(true)) return refuse(reached);
    const next =
      usage.value.counts === null
        ? await countAll(database, addition, usage.value.token, signal)
        : // Something was removed since the refusal, so there is room again.
          ok(changeCounts(database.table, counted.usage, change, limits));
    if (next.isErr()) return err(next.error);
    if (typeof next.value === "string") return refuse(next.value);
    counting = next.value;
  }
};

/** Applies all writes, which add nothing, and counts the change. `refused[i]` is about `writes[i]`. */
export const changeCounted = async (
  database: Database,
  { usage }: Counted,
  change: Counts,
  writes: readonly Write[],
  signal: AbortSignal,
): Promise<Result<void, Refused | Unavailable>> => {
  const { table } = database;
  for (let forget = false; ; forget = !forget) {
    const counting = forget
      ? forgetCounts(table, usage, change)
      : changeCounts(table, usage, change, NO_LIMITS);
    const changed = await transact(database, [...writes, counting], signal);
    if (changed.isOk() || changed.error.code === "unavailable") return changed;
    if (changed.error.refused.slice(0, -1).includes(true)) return changed;
  }
};
