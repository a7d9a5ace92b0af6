import { randomUUID } from "node:crypto";
import { type AccountId, err, isNonEmpty, type NonEmpty, ok, type Webhook } from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import * as z from "zod";
import type { Write } from "./database.ts";
import { type ItemParser, itemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * All webhooks of an account are one item, so that one read lists them and their limit cannot be exceeded. Every write replaces the
 * item that was read. It contains a random revision rather than a number, which would start over when an account without webhooks gets
 * one: so whoever has read an item never replaces a different one. An account without webhooks has no item.
 */

/** The webhooks of an account. */
export type StoredWebhooks = {
  readonly webhooks: NonEmpty<Webhook>;
  /** Different after every write. */
  readonly revision: string;
};

const StoredWebhooks = z.object({ webhooks: z.array(z.unknown()), revision: z.uuid() });

const CORRUPT = err({ code: "corrupt" });

export const parseWebhooksItem: ItemParser<StoredWebhooks> = itemParser((item) => {
  const { data } = StoredWebhooks.safeParse(item);
  const webhooks: Webhook[] = [];
  for (const stored of data?.webhooks ?? []) {
    const webhook = parseWebhook(stored);
    if (webhook.isErr() || !Key.same(item, Key.webhooks(webhook.value.account))) return CORRUPT;
    webhooks.push(webhook.value);
  }
  return data !== undefined && isNonEmpty(webhooks) ? ok({ webhooks, revision: data.revision }) : CORRUPT;
});

/** Replaces the webhooks of the account; refused unless the item is still as it was `before`, or if there is one now and there was none. */
export const replaceWebhooks = (
  table: string,
  account: AccountId,
  before: StoredWebhooks | null,
  webhooks: readonly Webhook[],
): Write => {
  const key = { ...Key.webhooks(account) };
  const condition =
    before === null
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : {
          ConditionExpression: "revision = :before",
          ExpressionAttributeValues: { ":before": before.revision },
        };
  if (webhooks.length === 0) return { Delete: { TableName: table, Key: key, ...condition } };
  const item = { ...key, schema: SCHEMA, revision: randomUUID(), webhooks: [...webhooks] };
  return { Put: { TableName: table, Item: item, ...condition } };
};
