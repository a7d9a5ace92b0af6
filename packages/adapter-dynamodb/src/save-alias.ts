import { err } from "@postern/core";
import { type Aliases, attachments } from "@postern/core/store";
import { aliasSettings } from "./alias-settings.ts";
import { countAttachments, deleteAttachments, putAttachments } from "./attachment-writes.ts";
import { type Database, MAX_WRITES, orConflict, transact, type Write } from "./database.ts";
import { changeSearchItems } from "./search-items.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";

/**
 * Saves the alias with everything that attaches and detaches recipients, in one transaction if it all fits. If more than 49
 * recipients are attached and detached, it does not: then the attachment items of the new recipients are written before the
 * transaction, and those of the others are deleted after it. An attachment item without an attachment does no harm: whoever
 * finds the alias by it sees that the alias does not list the recipient.
 */
export const saveAlias =
  (database: Database): Aliases["save"] =>
  async (before, after, timeLeft) => {
    const { table, timeoutMs } = database;
    const signal = deadline(timeoutMs, timeLeft);
    const key = { TableName: table, Key: { ...Key.alias(before.account, before.id) } };
    const save: Write = {
      Update: {
        ...key,
        ...aliasSettings.expression,
        ConditionExpression: "version = :before",
        ExpressionAttributeValues: { ...aliasSettings.values(after), ":before": before.version },
      },
    };
    const change = attachments(before, after);
    const writes = [
      save,
      ...countAttachments(table, before.account, change),
      ...changeSearchItems(table, before, after),
    ];
    const puts = putAttachments(table, before, change.attached);
    const deletions = deleteAttachments(table, before, change.detached);
    if (writes.length + puts.length + deletions.length <= MAX_WRITES)
      return orConflict(await transact(database, [...writes, ...puts, ...deletions], signal));

    const prepared = await transact(database, puts, signal);
    if (prepared.isErr()) return orConflict(err(prepared.error));
    const saved = await transact(database, writes, signal);
    if (saved.isErr()) return orConflict(err(saved.error));
    // After another change, these may be attached again. Whether or not this succeeds, the alias is saved.
    const unlessChanged: Write = {
      Update: {
        ...key,
        UpdateExpression: "SET version = :after",
        ConditionExpression: "version = :after",
        ExpressionAttributeValues: { ":after": after.version },
      },
    };
    await transact(database, [unlessChanged, ...deletions], signal);
    return orConflict(saved);
  };
