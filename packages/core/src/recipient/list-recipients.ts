import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, type RecipientId, recipientId } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

const query = z.object({ account: accountId, ...pageAfter(recipientId) });

export type ListRecipientsQuery = PageQuery & {
  readonly account: string;
};

export type ListRecipientsError = InvalidRequest | Unavailable;

/**
 * Returns a page of the account's recipients, newest first.
 *
 * @example
 * ```ts
 * const page = await service.listRecipients({ account });
 * ```
 */
export const listRecipients = ({
  recipients,
  ...timing
}: Timing & {
  readonly recipients: Pick<Recipients, "list">;
}): Operation<ListRecipientsQuery, Page<Recipient, RecipientId>, ListRecipientsError> =>
  operation(timing, query, ({ account, ...page }, timeLeft) => recipients.list(account, page, timeLeft()));
