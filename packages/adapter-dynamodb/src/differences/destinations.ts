import { Alias, err, ok, Recipient, type RecipientId, type Result, type Unavailable } from "@postern/core";
import { Difference } from "@postern/core/store";
import { parseAliasItem } from "../alias-item.ts";
import { aliasSettings } from "../alias-settings.ts";
import { deleteAttachments } from "../attachment-writes.ts";
import type { Database, Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { ATTACHMENT_ITEMS, parseRecipientItem } from "../recipient-item.ts";
import { Key } from "../table.ts";
import { readAll } from "./pages.ts";
import { type Found, parsedOrNull, type Question } from "./question.ts";

/** Why the recipient must not receive mail; null if it may, or does not parse. */
const stateOf = ({ account }: Alias, id: RecipientId, found: Found) => {
  const item = found(Key.recipient(account, id));
  if (item === undefined) return "gone";
  const recipient = parsedOrNull(parseRecipientItem, item);
  const state = recipient === null ? null : Recipient.ineligibility(recipient);
  return state === "unverified" || state === "inactive" ? state : null;
};

/** Takes the recipients off the alias, and off their counts. If a count is too low, it becomes right without a write. */
const detach = (
  table: string,
  alias: Alias,
  off: readonly RecipientId[],
  found: Found,
  now: number,
): readonly Write[] => {
  const { account, id, version } = alias;
  const counted = off.flatMap((recipient): readonly Write[] => {
    const key = Key.recipient(account, recipient);
    const attached = parsedOrNull(parseRecipientItem, found(key))?.attached ?? 0;
    if (attached === 0) return [];
    return [
      {
        Update: {
          TableName: table,
          Key: { ...key },
          UpdateExpression: "SET attached = attached - :one ADD #items :less REMOVE recounting",
          ConditionExpression: "attached = :before",
          ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
          ExpressionAttributeValues: { ":one": 1, ":less": -1, ":before": attached },
        },
      },
    ];
  });
  const after = Difference.detached(alias, (recipient) => !off.includes(recipient), now);
  return [
    {
      Update: {
        TableName: table,
        Key: { ...Key.alias(account, id) },
        ...aliasSettings.expression,
        ConditionExpression: "version = :before",
        ExpressionAttributeValues: { ...aliasSettings.values(after), ":before": version },
      },
    },
    ...counted,
    ...deleteAttachments(table, alias, off),
  ];
};

/** Whether a recipient that a live alias lists is verified and active. `now` is called when it is taken off the alias. */
const destination = (
  table: string,
  { account, id }: Alias,
  recipient: RecipientId,
  now: () => number,
): Question => {
  const key = Key.alias(account, id);
  const listedBy = (found: Found): { readonly alias: Alias; readonly ids: readonly RecipientId[] } | null => {
    const alias = parsedOrNull(parseAliasItem, found(key))?.alias;
    return alias === undefined ? null : { alias, ids: [...new Set(Alias.attachedRecipients(alias))] };
  };
  return {
    keys: (found) => [key, ...(listedBy(found)?.ids ?? []).map((each) => Key.recipient(account, each))],
    answer: (found) => {
      const listed = listedBy(found);
      const state = listed?.ids.includes(recipient) ? stateOf(listed.alias, recipient, found) : null;
      // Taken off in the meantime, or the alias is gone.
      if (listed === null || state === null) return null;
      const { alias, ids } = listed;
      const off = ids.filter((each) => stateOf(alias, each, found) !== null);
      return {
        writes: detach(table, alias, off, found, now()),
        difference: (correct) => Difference.destination({ account, alias: id, recipient }, state, correct),
      };
    },
  };
};

/** Doubts about whom these aliases list. */
export const doubtsAboutDestinations = async (
  database: Database,
  items: readonly StoredItem[],
  now: () => number,
): Promise<Result<readonly Question[], Unavailable>> => {
  const pairs = items.flatMap((item) => {
    const alias = parsedOrNull(parseAliasItem, item)?.alias;
    return alias === undefined
      ? []
      : Alias.attachedRecipients(alias).map((recipient) => ({ alias, recipient }));
  });
  const keys = pairs.map(({ alias, recipient }) => Key.recipient(alias.account, recipient));
  const found = await readAll(database, keys);
  if (found.isErr()) return err(found.error);
  return ok(
    pairs
      .filter(({ alias, recipient }) => stateOf(alias, recipient, found.value) !== null)
      .map(({ alias, recipient }) => destination(database.table, alias, recipient, now)),
  );
};
