import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { blockedSenderId } from "../values/base32-ids.ts";
import { accountId, type BlockedSenderId } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { BlockedSender } from "./blocked-sender.ts";
import type { BlockedSenders } from "./blocked-senders.ts";

const query = z.object({ account: accountId, ...pageAfter(blockedSenderId) });

export type ListBlockedSendersQuery = PageQuery & {
  readonly account: string;
};

export type ListBlockedSendersError = InvalidRequest | Unavailable;

/**
 * Returns a page of the senders that the account has blocked, in the order of their ids, which has no meaning.
 *
 * @example
 * ```ts
 * const page = await service.listBlockedSenders({ account });
 * ```
 */
export const listBlockedSenders = ({
  blockedSenders,
  ...timing
}: Timing & {
  readonly blockedSenders: Pick<BlockedSenders, "list">;
}): Operation<ListBlockedSendersQuery, Page<BlockedSender, BlockedSenderId>, ListBlockedSendersError> =>
  operation(timing, query, ({ account, ...page }, timeLeft) =>
    blockedSenders.list(account, page, timeLeft()),
  );
