import { type AccountId, err, type LoggedMessage, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference } from "@postern/core/store";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { parseMessageItem } from "../message-item.ts";
import { Key } from "../table.ts";
import { readAll } from "./pages.ts";
import { isAbsent, parsedOrNull, type Question } from "./question.ts";
import { unreadable } from "./unreadable.ts";

/** Whether the alias of the message at `key` exists. */
const aliasOfMessage = (table: string, key: Key, { account, alias }: LoggedMessage): Question => {
  const ofAlias = Key.alias(account, alias);
  return {
    account,
    alias,
    recipient: null,
    keys: [key, ofAlias],
    judge: ([item, aliasItem]) =>
      item === undefined || aliasItem !== undefined
        ? null
        : {
            kind: "leftover",
            stored: "a logged message",
            right: "none without an alias",
            remedy: {
              by: "repair",
              writes: [isAbsent(table, ofAlias), { Delete: { TableName: table, Key: { ...key } } }],
            },
          },
  };
};

/** Doubts about these logged messages of the account. */
export const messageDoubts = async (
  database: Database,
  account: AccountId,
  items: readonly StoredItem[],
): Promise<Result<readonly (Question | Difference)[], Unavailable>> => {
  const parsed = items.map((item) => ({ item, message: parsedOrNull(parseMessageItem, item) }));
  const found = await readAll(
    database,
    parsed.flatMap(({ message }) => (message === null ? [] : [Key.alias(account, message.alias)])),
  );
  if (found.isErr()) return err(found.error);
  let next = 0;
  const doubts: (Question | Difference)[] = [];
  for (const { item, message } of parsed) {
    if (message === null) {
      doubts.push(unreadable(account, item));
      continue;
    }
    if (found.value[next] === undefined) doubts.push(aliasOfMessage(database.table, Key.of(item), message));
    next += 1;
  }
  return ok(doubts);
};
