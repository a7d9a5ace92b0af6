import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { blockedSenderId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { BlockedSenders } from "./blocked-senders.ts";

const command = z.object({ account: accountId, blockedSenderId });

export type UnblockSenderCommand = { readonly account: string; readonly blockedSenderId: string };

export type UnblockSenderError = InvalidRequest | Unavailable;

/**
 * Accepts the mail of a blocked sender again, unless another blocked sender covers it. Idempotent: succeeds even if there is none with this
 * id.
 *
 * @example
 * ```ts
 * await service.unblockSender({ account, blockedSenderId });
 * ```
 */
export const unblockSender = ({
  blockedSenders,
  ...timing
}: Timing & {
  readonly blockedSenders: Pick<BlockedSenders, "unblock">;
}): Operation<UnblockSenderCommand, void, UnblockSenderError> =>
  operation(timing, command, ({ account, blockedSenderId }, timeLeft) =>
    blockedSenders.unblock(account, blockedSenderId, timeLeft()),
  );
