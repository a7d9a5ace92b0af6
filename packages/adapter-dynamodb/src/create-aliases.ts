import { setTimeout } from "node:timers/promises";
import { type AccountId, type Alias, err, ok, type RecipientId, type Unavailable } from "@postern/core";
import { type Aliases, attachments, type Creation } from "@postern/core/store";
import { newAddressItem } from "./address-item.ts";
import { newAliasItem } from "./alias-item.ts";
import { attach, putAttachments } from "./attachment-writes.ts";
import { putCreation } from "./creations.ts";
import { type Database, MAX_WRITES, putNew, transact, type Write } from "./database.ts";
import { NOTHING_REMEMBERED } from "./remembered-events.ts";
import { putSearchItems } from "./search-items.ts";
import { deadline, tooLate } from "./send-until-deadline.ts";
import { Key } from "./table.ts";
import { putTallies } from "./tally-item.ts";
import { addCounted, Counted } from "./usage.ts";
import { changeCounts } from "./usage-item.ts";

/*
 * Creating an alias writes the count of the account's aliases and the recipients of the alias, which are often the same ones.
 * Transactions that write the same item cancel each other, so a store creates the aliases of one account one after another, and
 * those that arrive in the meantime together, in one transaction.
 */

type Created = Awaited<ReturnType<Aliases["create"]>>;

/** A call that waits for its turn. */
type Call = {
  readonly alias: Alias;
  readonly creation: Creation | undefined;
  /** The writes of this alias only. */
  readonly own: readonly Write[];
  readonly limit: number;
  readonly signal: AbortSignal;
  /** When its caller stops waiting, on the clock of `performance.now`. */
  readonly until: number;
  readonly settle: (created: Created) => void;
};

/** Pauses between groups are random, up to this many milliseconds, so that others can write the same items. */
const MAX_PAUSE_MS = 10;

/**
 * The writes of one alias only. If the first is refused, its id is in use; if the second, its address; if the last and there is a creation,
 * something was already created with its key.
 */
const ownWrites = (table: string, alias: Alias, creation: Creation | undefined): readonly Write[] => [
  putNew(table, newAliasItem(alias)),
  putNew(table, newAddressItem(alias)),
  ...putTallies(table, alias, NOTHING_REMEMBERED),
  ...putAttachments(table, alias, attachments(null, alias).attached),
  ...putSearchItems(table, alias),
  ...(creation === undefined ? [] : [putCreation(table, creation)]),
];

/** How many of the aliases each recipient will be attached to. */
const attachedTo = (group: readonly Call[]): ReadonlyMap<RecipientId, number> => {
  const times = new Map<RecipientId, number>();
  for (const { alias } of group) {
    for (const id of attachments(null, alias).attached) times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
};

/** The writes that create the aliases, except for their count. */
const writesOf = (table: string, account: AccountId, group: readonly Call[]): readonly Write[] => [
  ...group.flatMap(({ own }) => own),
  ...[...attachedTo(group)].map(([id, times]) => attach(table, account, id, times)),
];

const countOf = (group: readonly Call[]) => ({ total: group.length, unverified: 0 });

/** Creates one alias; if that is refused, says why. */
const createOne = async (database: Database, call: Call): Promise<Created> => {
  const { alias, creation, own, limit, signal } = call;
  const addition = {
    counted: Counted.aliases(alias.account),
    change: countOf([call]),
    limits: { total: limit, unverified: 0 },
  };
  const created = await addCounted(
    database,
    addition,
    writesOf(database.table, alias.account, [call]),
    signal,
  );
  if (created.isOk()) return ok();
  if (created.error.code === "unavailable") return err(created.error);
  const { refused, reached } = created.error;
  const [idInUse, addressTaken] = refused;
  if (creation !== undefined && refused[own.length - 1]) return err({ code: "already_created" });
  if (idInUse) return err({ code: "conflict" });
  if (addressTaken) return err({ code: "address_taken" });
  return err(reached === null ? { code: "conflict" } : { code: "too_many_aliases", limit });
};

/** Creates the aliases in one transaction. Null if that is refused because of any of them; then nothing is applied. */
const createTogether = async (
  database: Database,
  account: AccountId,
  group: readonly Call[],
): Promise<{ readonly failure: Unavailable | null } | null> => {
  // 0 means no limit. If limits differ, the lowest one refuses the group, and then each alias is checked on its own.
  const limits = group.map(({ limit }) => limit).filter((limit) => limit > 0);
  const total = limits.length === 0 ? 0 : Math.min(...limits);
  const longest = Math.max(...group.map(({ until }) => until)) - performance.now();
  const written = await transact(
    database,
    [
      ...writesOf(database.table, account, group),
      changeCounts(database.table, Counted.aliases(account).usage, countOf(group), {
        total,
        unverified: 0,
      }),
    ],
    deadline(database.timeoutMs, longest),
  );
  if (written.isOk()) return { failure: null };
  return written.error.code === "unavailable" ? { failure: written.error } : null;
};

/**
 * Takes from the queue the creations that fit into one transaction: at least the first, and those after it up to one that does
 * not fit, or that has the id, the address or the idempotency key of an earlier one, since a transaction cannot write an item twice.
 */
const takeGroup = (queue: Call[]): readonly Call[] => {
  const taken = new Set<string>();
  let size = 0;
  for (const { alias, creation } of queue) {
    const keys = [
      Key.alias(alias.account, alias.id),
      Key.address(alias.email),
      ...(creation === undefined ? [] : [Key.creation(creation.account, creation.key)]),
    ].map(({ pk, sk }) => `${pk} ${sk}`);
    const group = queue.slice(0, size + 1);
    // The writes of each alias only, the recipients, and the count.
    const own = group.reduce((sum, each) => sum + each.own.length, 0);
    const writes = own + attachedTo(group).size + 1;
    if (size > 0 && (writes > MAX_WRITES || keys.some((key) => taken.has(key)))) break;
    for (const key of keys) taken.add(key);
    size += 1;
  }
  return queue.splice(0, size);
};

const createGroup = async (database: Database, account: AccountId, group: readonly Call[]): Promise<void> => {
  const waiting = group.filter(({ signal }) => !signal.aborted);
  if (waiting.length > 1) {
    const together = await createTogether(database, account, waiting);
    if (together !== null) {
      const { failure } = together;
      for (const { settle } of waiting) settle(failure === null ? ok() : err(failure));
      return;
    }
  }
  for (const call of waiting) call.settle(await createOne(database, call));
};

/** A call returns as soon as its time is up, whatever becomes of the transaction that contains its alias. */
export const createAliases = (database: Database): Aliases["create"] => {
  /** The accounts with a transaction in progress, and the calls waiting for it to end. */
  const queues = new Map<AccountId, Call[]>();

  const work = async (account: AccountId, queue: Call[]): Promise<void> => {
    while (queue.length > 0) {
      await createGroup(database, account, takeGroup(queue));
      if (queue.length > 0) await setTimeout(Math.random() * MAX_PAUSE_MS);
    }
    queues.delete(account);
  };

  return (alias, { aliases: limit }, creation, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    if (signal.aborted) return Promise.resolve(err(tooLate(null)));
    const until = performance.now() + Math.min(database.timeoutMs, timeLeft ?? database.timeoutMs);
    return new Promise((settle) => {
      // Later than the failure of the aborted request, which says more.
      const end = () => void setImmediate(() => settle(err(tooLate(null))));
      signal.addEventListener("abort", end, { once: true });
      const own = ownWrites(database.table, alias, creation);
      const call: Call = { alias, creation, own, limit, signal, until, settle };
      const queue = queues.get(alias.account);
      if (queue !== undefined) {
        queue.push(call);
        return;
      }
      const started = [call];
      queues.set(alias.account, started);
      void work(alias.account, started);
    });
  };
};
