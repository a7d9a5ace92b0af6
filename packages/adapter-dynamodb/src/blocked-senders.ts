import { type AccountId, type BlockedSender, err, ok, type Result, type Unavailable } from "@postern/core";
import type { BlockedSenders } from "@postern/core/store";
import {
  deleteBlockedSender,
  leadKey,
  parseBlockedSenderItem,
  parseBlockedSenderLead,
  putBlockedSender,
} from "./blocked-sender-item.ts";
import { countItems, type Database, readOne, transact } from "./database.ts";
import { decode } from "./item.ts";
import { pageOf } from "./pages.ts";
import { deadline, pause, tooLate } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

const ALL = { matches: () => true };

/** Others kept blocking and unblocking the same sender. */
const CONTENDED = tooLate("conflicts");

/** The stored blocked sender with the same sender as `blocked`; null if there is none. */
const findSame = async (
  database: Database,
  blocked: BlockedSender,
  signal: AbortSignal,
): Promise<Result<BlockedSender | null, Unavailable>> => {
  const lead = await readOne(database, leadKey(blocked), signal);
  if (lead.isErr()) return err(lead.error);
  if (lead.value === undefined) return ok(null);
  const id = decode(database, parseBlockedSenderLead, lead.value);
  if (id.isErr()) return err(id.error);
  const item = await readOne(database, Key.blockedSender(blocked.account, id.value), signal);
  if (item.isErr()) return err(item.error);
  return item.value === undefined ? ok(null) : decode(database, parseBlockedSenderItem, item.value);
};

/** Whether the account has as many as the limit allows. They are counted by reading them, since one is rarely added. */
const isFull = async (
  database: Database,
  account: AccountId,
  limit: number,
  signal: AbortSignal,
): Promise<Result<boolean, Unavailable>> => {
  const filter = { expression: "attribute_exists(sender)", values: {} };
  let [counted, start]: [number, Key | undefined] = [0, undefined];
  while (limit > 0 && counted < limit) {
    const request = { limit: limit - counted, start, filter };
    const page = await countItems(database, KeyRange.blockedSenders(account), request, signal);
    if (page.isErr()) return err(page.error);
    counted += page.value.examined;
    start = page.value.last;
    if (start === undefined) break;
  }
  return ok(limit > 0 && counted >= limit);
};

export const dynamoBlockedSenders = (database: Database): BlockedSenders => ({
  block: async (blocked, { blockedSenders: limit }, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    for (let attempt = 1; ; attempt += 1) {
      const stored = await findSame(database, blocked, signal);
      if (stored.isErr()) return err(stored.error);
      if (stored.value !== null) return ok({ blocked: stored.value, isNew: false });
      const full = await isFull(database, blocked.account, limit, signal);
      if (full.isErr()) return err(full.error);
      if (full.value) return err({ code: "too_many_blocked_senders", limit });
      const written = await transact(database, putBlockedSender(database.table, blocked), signal);
      if (written.isOk()) return ok({ blocked, isNew: true });
      if (written.error.code === "unavailable") return err(written.error);
      const [idInUse, isBlocked] = written.error.refused;
      if (idInUse && !isBlocked) return err({ code: "conflict" });
      if (!(await pause(attempt + 1, signal))) return err(CONTENDED);
    }
  },

  unblock: async (account, id, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    for (let attempt = 1; ; attempt += 1) {
      const item = await readOne(database, Key.blockedSender(account, id), signal);
      if (item.isErr()) return err(item.error);
      if (item.value === undefined) return ok();
      const blocked = decode(database, parseBlockedSenderItem, item.value);
      if (blocked.isErr()) return err(blocked.error);
      const deleted = await transact(database, deleteBlockedSender(database.table, blocked.value), signal);
      if (deleted.isOk()) return ok();
      if (deleted.error.code === "unavailable") return err(deleted.error);
      if (!(await pause(attempt + 1, signal))) return err(CONTENDED);
    }
  },

  list: (account, request, timeLeft) =>
    pageOf(
      database,
      parseBlockedSenderItem,
      KeyRange.blockedSenders(account),
      request,
      ALL,
      deadline(database.timeoutMs, timeLeft),
    ),
});
