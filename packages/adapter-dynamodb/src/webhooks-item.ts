import type { Webhook } from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import * as z from "zod";
import { type ListItem, listParser } from "./list-item.ts";
import { Key } from "./table.ts";

const StoredWebhooks = z.object({ webhooks: z.array(z.unknown()) });

/** The item that lists the webhooks of an account. */
export const webhooksItem: ListItem<Webhook> = {
  keyOf: Key.webhooks,
  parse: listParser(
    Key.webhooks,
    (item) => StoredWebhooks.safeParse(item).data?.webhooks ?? null,
    parseWebhook,
  ),
  attributes: (webhooks) => ({ webhooks: [...webhooks] }),
};
