import { LOG_RETENTION, LoggedMessage } from "@postern/core";
import { parseLoggedMessage } from "@postern/core/store";
import { keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * A logged message is one item whose key is made from its alias and its position, so that one query lists a page. DynamoDB deletes it
 * when it is too old. It is written without a condition on its alias, so it can be left over when the alias is erased: nothing returns
 * it then.
 */

const keyOf = (message: LoggedMessage): Key =>
  Key.message(message.account, message.alias, LoggedMessage.position(message));

export const parseMessageItem = keyedItemParser(parseLoggedMessage, keyOf);

/** When the message is too old, in seconds. */
export const expires = ({ at }: LoggedMessage): number => Math.ceil((at + LOG_RETENTION) / 1000);

/** Stores the message, each field as an attribute of the same name, unless the same revision or a later one is stored. */
export const putMessage = (message: LoggedMessage) => ({
  Item: {
    ...message,
    ...keyOf(message),
    schema: SCHEMA,
    expires: expires(message),
  },
  ConditionExpression: "attribute_not_exists(pk) OR revision < :revision",
  ExpressionAttributeValues: { ":revision": message.revision },
});
