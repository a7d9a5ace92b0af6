import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, compareIds } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Webhook } from "./webhook.ts";
import type { Webhooks } from "./webhooks.ts";

const query = z.object({ account: accountId });

export type ListWebhooksQuery = { readonly account: string };

export type ListWebhooksError = InvalidRequest | Unavailable;

/**
 * Returns all webhooks of the account, newest first.
 *
 * @example
 * ```ts
 * const webhooks = await service.listWebhooks({ account });
 * ```
 */
export const listWebhooks = ({
  webhooks,
  ...timing
}: Timing & {
  readonly webhooks: Pick<Webhooks, "list">;
}): Operation<ListWebhooksQuery, readonly Webhook[], ListWebhooksError> =>
  operation(timing, query, async ({ account }, timeLeft) =>
    (await webhooks.list(account, timeLeft())).map((found) =>
      found.toSorted((a, b) => b.createdAt - a.createdAt || compareIds(b.id, a.id)),
    ),
  );
