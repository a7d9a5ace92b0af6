import { type AccountId, Alias, err, ok, type Result, type Unavailable } from "@postern/core";
import { parseAliasItem } from "./alias-item.ts";
import { parseAttachmentItem } from "./attachment-writes.ts";
import { changeAll, unlessRefused } from "./change-all.ts";
import { type Database, transact } from "./database.ts";
import { attachmentItem } from "./differences/attachment-item.ts";
import { pagesOf, readAll } from "./differences/pages.ts";
import { parsedOrNull, type Question, settle, TIMEOUT_MS } from "./differences/question.ts";
import { ATTACHMENT_ITEMS, isListed } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

/** Puts the missing items. Returns how many aliases lacked some. */
const addMissing = async (database: Database, account: AccountId): Promise<Result<number, Unavailable>> => {
  let changed = 0;
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return err(page.error);
    const aliases = page.value.flatMap((item) => parsedOrNull(parseAliasItem, item)?.alias ?? []);
    const pairs = aliases.flatMap((alias) =>
      Alias.attachedRecipients(alias).map((recipient) => ({ alias, recipient })),
    );
    const items = await readAll(
      database,
      pairs.map(({ alias, recipient }) => Key.attachment(account, recipient, alias.id)),
    );
    if (items.isErr()) return err(items.error);
    const missing = new Map<Alias, Question[]>();
    for (const [n, { alias, recipient }] of pairs.entries()) {
      if (items.value[n] !== undefined) continue;
      missing.set(alias, [
        ...(missing.get(alias) ?? []),
        attachmentItem(database.table, { account, id: alias.id }, recipient),
      ]);
    }
    const settled = await changeAll([...missing.values()], (questions) => settle(database, questions));
    if (settled.isErr()) return err(settled.error);
    changed += settled.value;
  }
  return ok(changed);
};

/** Deletes the items without an attachment. */
const removeOthers = async (database: Database, account: AccountId): Promise<Result<void, Unavailable>> => {
  for await (const page of pagesOf(database, KeyRange.allAttachments(account))) {
    if (page.isErr()) return err(page.error);
    const pairs = page.value.flatMap((item) => parsedOrNull(parseAttachmentItem, item) ?? []);
    const items = await readAll(
      database,
      pairs.map(({ alias }) => Key.alias(account, alias)),
    );
    if (items.isErr()) return err(items.error);
    const questions = pairs.flatMap(({ alias: id, recipient }, n) => {
      const alias = parsedOrNull(parseAliasItem, items.value[n])?.alias;
      const isAttached = alias !== undefined && Alias.attachedRecipients(alias).includes(recipient);
      return isAttached ? [] : [attachmentItem(database.table, { account, id }, recipient)];
    });
    // One after another, since each can change the version of the same alias.
    const settled = await settle(database, questions);
    if (settled.isErr()) return err(settled.error);
  }
  return ok();
};

/** Declares that all recipients have all their items. They keep them, because every write changes both. */
const declareListed = async (database: Database, account: AccountId): Promise<Result<void, Unavailable>> => {
  for await (const page of pagesOf(database, KeyRange.recipients(account))) {
    if (page.isErr()) return err(page.error);
    const changed = await changeAll(
      page.value.filter((item) => !isListed(item)),
      async ({ pk, sk }) =>
        unlessRefused(
          await transact(
            database,
            [
              {
                Update: {
                  TableName: database.table,
                  Key: { pk, sk },
                  UpdateExpression: "SET #items = attached REMOVE recounting",
                  ConditionExpression: "attribute_type(attached, :number)",
                  ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
                  ExpressionAttributeValues: { ":number": "N" },
                },
              },
            ],
            deadline(TIMEOUT_MS),
          ),
        ),
    );
    if (changed.isErr()) return err(changed.error);
  }
  return ok();
};

/**
 * Corrects the attachment items of an account while any number of servers of this version are running. Safe to interrupt and
 * repeat. Returns how many aliases lacked some.
 */
export const completeAttachments = async (
  database: Database,
  account: AccountId,
): Promise<Result<number, Unavailable>> => {
  const added = await addMissing(database, account);
  if (added.isErr()) return added;
  const removed = await removeOthers(database, account);
  if (removed.isErr()) return err(removed.error);
  return (await declareListed(database, account)).map(() => added.value);
};
