import { randomUUID } from "node:crypto";
import { type AccountId, Alias, err, ok, type Result, type Unavailable } from "@postern/core";
import { type Correction, Difference, type Place } from "@postern/core/store";
import { parseAliasItem } from "../alias-item.ts";
import { completeAttachments } from "../complete-attachments.ts";
import { type Database, deleteIf, orConflict, readOne, transact, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { attachmentItemsOf, isListed, parseRecipientItem } from "../recipient-item.ts";
import { deadline, pause } from "../send-until-deadline.ts";
import { Key, KeyRange } from "../table.ts";
import { type Counts, parseUsageItem } from "../usage-item.ts";
import { pagesOf, readAll } from "./pages.ts";
import { parsedOrNull, TIMEOUT_MS } from "./question.ts";

const COUNTED = ["aliases", "recipients"] as const;
type Counted = (typeof COUNTED)[number];

/** What the aliases and recipients of an account add up to. */
type Count = Readonly<Record<Counted, Counts>> & {
  /** The items of the recipients that parse. */
  readonly items: readonly StoredItem[];
  /** How many live aliases list each recipient; null if an alias or a recipient does not parse, since it could list any. */
  readonly listing: ReadonlyMap<unknown, number> | null;
};

const countAccount = async (database: Database, account: AccountId): Promise<Result<Count, Unavailable>> => {
  const [items, listing] = [[] as StoredItem[], new Map<unknown, number>()];
  const totals = { aliases: 0, recipients: 0, unverified: 0 };
  let complete = true;
  for await (const page of pagesOf(database, KeyRange.recipients(account))) {
    if (page.isErr()) return err(page.error);
    for (const item of page.value) {
      totals.recipients += 1;
      // As the store counts them.
      if (item["verifiedAt"] === null) totals.unverified += 1;
      if (parseRecipientItem(item).isErr()) complete = false;
      else items.push(item);
    }
  }
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return err(page.error);
    for (const item of page.value) {
      totals.aliases += 1;
      const alias = parsedOrNull(parseAliasItem, item)?.alias;
      if (alias === undefined) complete = false;
      else for (const id of Alias.attachedRecipients(alias)) listing.set(id, (listing.get(id) ?? 0) + 1);
    }
  }
  return ok({
    items,
    listing: complete ? listing : null,
    aliases: { total: totals.aliases, unverified: 0 },
    recipients: { total: totals.recipients, unverified: totals.unverified },
  });
};

type Wrong = Readonly<Record<"stored" | "right", string>> & {
  readonly kind: "attached" | "listed" | "usage";
};

const textOf = (counted: Counted, { total, unverified }: Counts): string =>
  `${counted}: ${total}${counted === "recipients" ? `, unverified: ${unverified}` : ""}`;

/** The counts in the item that differ from what was counted. */
const wrongIn = (account: AccountId, item: StoredItem, count: Count): readonly Wrong[] => {
  const counted = COUNTED.find((each) => Key.same(Key.usage(account, each), item));
  if (counted !== undefined) {
    const stored = parsedOrNull(parseUsageItem, item)?.counts ?? null;
    if (stored === null) return [];
    const [is, right] = [textOf(counted, stored), textOf(counted, count[counted])];
    return is === right ? [] : [{ kind: "usage", stored: is, right }];
  }
  const recipient = parsedOrNull(parseRecipientItem, item);
  if (recipient === null || count.listing === null) return [];
  const right = count.listing.get(recipient.id) ?? 0;
  return (
    [
      ["attached", recipient.attached],
      ["listed", attachmentItemsOf(item)],
    ] as const
  ).flatMap(([kind, stored]) => (stored === right ? [] : [{ kind, stored: `${stored}`, right: `${right}` }]));
};

/** An item as it was while its account was counted, unless it is gone, or changed during every attempt. */
type Recounted =
  | { readonly item: StoredItem; readonly count: Count; readonly token: string }
  | "gone"
  | "busy";

const MAX_ATTEMPTS = 8;

/**
 * Counts the aliases and recipients of the account for an item that stores a count of them. Counting takes several requests and
 * must not miss a concurrent write, so the item has a token in the meantime, `recounting`: every write that changes the count
 * in it removes the token. If the token is still there, the count is valid for the content of the item. A token has no
 * other effect, and stays until such a write.
 */
const recount = async (
  database: Database,
  account: AccountId,
  key: Key,
): Promise<Result<Recounted, Unavailable>> => {
  const signal = deadline(TIMEOUT_MS);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (attempt > 1 && !(await pause(attempt, signal))) break;
    const token = randomUUID();
    const marked = await write(database, {
      Key: Key.of(key),
      UpdateExpression: "SET recounting = :token",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":token": token },
    });
    if (marked.isErr()) return marked.error.code === "conflict" ? ok("gone") : err(marked.error);
    const count = await countAccount(database, account);
    if (count.isErr()) return err(count.error);
    const item = await readOne(database, key, deadline(TIMEOUT_MS));
    if (item.isErr()) return err(item.error);
    if (item.value?.["recounting"] === token) return ok({ item: item.value, count: count.value, token });
  }
  return ok("busy");
};

const write = async (database: Database, update: Omit<NonNullable<Write["Update"]>, "TableName">) =>
  orConflict(
    await transact(database, [{ Update: { TableName: database.table, ...update } }], deadline(TIMEOUT_MS)),
  );

/** Writes the number of aliases that list the recipient. */
const correctAttached =
  (database: Database, account: AccountId, key: Key): Correction =>
  async () => {
    const counted = await recount(database, account, key);
    if (counted.isErr()) return err(counted.error);
    const found = counted.value;
    if (found === "busy") return err({ code: "conflict" });
    const wrong = found === "gone" ? [] : wrongIn(account, found.item, found.count);
    const attached = wrong.find(({ kind }) => kind === "attached");
    if (found === "gone" || attached === undefined) return ok(false);
    const written = await write(database, {
      Key: Key.of(key),
      UpdateExpression: "SET attached = :right REMOVE recounting",
      ConditionExpression: "recounting = :token",
      ExpressionAttributeValues: { ":right": Number(attached.right), ":token": found.token },
    });
    return written.map(() => true);
  };

/** Makes the number of attachments equal to `attached`, which is repaired before, once all aliases have theirs. */
const correctListed =
  (database: Database, account: AccountId, key: Key): Correction =>
  async () => {
    const item = await readOne(database, key, deadline(TIMEOUT_MS));
    if (item.isErr()) return err(item.error);
    if (item.value === undefined || isListed(item.value)) return ok(false);
    return (await completeAttachments(database, account)).map(() => true);
  };

/** Deletes the counts: an account without counts is counted when a limit has to be checked, concurrently with all other writes. */
const forgetUsage =
  (database: Database, _account: AccountId, key: Key): Correction =>
  async () => {
    return deleteIf(
      database,
      {
        Key: Key.of(key),
        ConditionExpression: "attribute_exists(#total)",
        ExpressionAttributeNames: { "#total": "total" },
      },
      deadline(TIMEOUT_MS),
    );
  };

const CORRECTIONS = { attached: correctAttached, listed: correctListed, usage: forgetUsage };

/**
 * The counts in an account that are wrong. The items were read one after another, so that a count is only suspected at first, and then
 * counted again in a way that is certain.
 *
 * @param isIndexed whether all recipients should have their attachments
 */
export const wrongCounts = async (
  database: Database,
  account: AccountId,
  isIndexed: boolean,
): Promise<Result<readonly Difference[], Unavailable>> => {
  const count = await countAccount(database, account);
  if (count.isErr()) return err(count.error);
  const wrongNow = (item: StoredItem, now: Count) =>
    wrongIn(account, item, now).filter(({ kind }) => isIndexed || kind !== "listed");
  const usage = COUNTED.map((counted) => Key.usage(account, counted));
  const found = await readAll(database, usage);
  if (found.isErr()) return err(found.error);
  const differences: Difference[] = [];
  for (const item of [...usage.flatMap((key) => found.value(key) ?? []), ...count.value.items]) {
    const key = Key.of(item);
    if (wrongNow(item, count.value).length === 0) continue;
    const counted = await recount(database, account, key);
    if (counted.isErr()) return err(counted.error);
    const place = { account, alias: null, recipient: KeyRange.recipients(account).id(key).unwrapOr(null) };
    if (counted.value === "busy") differences.push(unsettled(place));
    else if (counted.value !== "gone")
      for (const { kind, stored, right } of wrongNow(counted.value.item, counted.value.count))
        differences.push(
          Difference.count(kind, place, { stored, right }, CORRECTIONS[kind](database, account, key)),
        );
  }
  return ok(differences);
};

const unsettled = (place: Place): Difference =>
  Difference.undecided("unsettled", place, {
    stored: "a count that may be wrong, but changed whenever it was compared",
    right: "compared while it does not change",
    action: "run the command again",
  });
