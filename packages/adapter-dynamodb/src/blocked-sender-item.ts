import { type BlockedSender, parseBlockedSenderId, Sender } from "@postern/core";
import { parseBlockedSender } from "@postern/core/store";
import { putNew, type Write } from "./database.ts";
import { itemParser, keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * A blocked sender is an item whose key is made from its id. Another item, whose key is made from the sender, leads to it: mail is
 * compared with items of the latter kind. Both are put and deleted together, and never change.
 */

export const parseBlockedSenderItem = keyedItemParser(parseBlockedSender, ({ account, id }) =>
  Key.blockedSender(account, id),
);

/** The id of the blocked sender that an item leads to. */
export const parseBlockedSenderLead = itemParser((item) => parseBlockedSenderId(item["blockedSender"]));

/** The key of the item that leads to the blocked sender. */
export const leadKey = ({ account, sender }: BlockedSender): Key =>
  Key.blockedSenderLead(account, Sender.key(sender));

export const leadTo = (blocked: BlockedSender) => ({
  ...leadKey(blocked),
  schema: SCHEMA,
  blockedSender: blocked.id,
});

/** Stores a blocked sender: two writes. The first is refused if its id is in use, the second if its sender is blocked. */
export const putBlockedSender = (table: string, blocked: BlockedSender): readonly [Write, Write] => [
  putNew(table, { ...blocked, ...Key.blockedSender(blocked.account, blocked.id), schema: SCHEMA }),
  putNew(table, leadTo(blocked)),
];

/** Removes a blocked sender; refused if another one with the same sender has taken its place. */
export const deleteBlockedSender = (table: string, blocked: BlockedSender): readonly Write[] => [
  { Delete: { TableName: table, Key: { ...Key.blockedSender(blocked.account, blocked.id) } } },
  {
    Delete: {
      TableName: table,
      Key: { ...leadKey(blocked) },
      ConditionExpression: "attribute_not_exists(pk) OR blockedSender = :id",
      ExpressionAttributeValues: { ":id": blocked.id },
    },
  },
];
