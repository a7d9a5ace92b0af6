import { err, ok } from "neverthrow";
import * as z from "zod";
import type { AccountLimits } from "../account/limits.ts";
import type { TooManyBlockedSenders, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { sender } from "../values/sender.ts";
import { BlockedSender } from "./blocked-sender.ts";
import type { BlockedSenders } from "./blocked-senders.ts";

const command = z.object({ account: accountId, sender });

export type BlockSenderCommand = {
  readonly account: string;
  /** An email address, or a domain, which includes its subdomains. */
  readonly sender: string;
};

export type BlockSenderError = InvalidRequest | TooManyBlockedSenders | Unavailable;

/** Cannot happen by chance: ids have 130 bits. */
const ID_IN_USE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "another blocked sender has the id" },
};

/**
 * Blocks a sender: from now on, no alias of the account accepts its mail. If it is already blocked, returns it unchanged. Idempotent.
 *
 * @example
 * ```ts
 * const blocked = await service.blockSender({ account, sender: "spam.example" });
 * ```
 */
export const blockSender = ({
  blockedSenders,
  secrets,
  limits,
  ...timing
}: Timing & {
  readonly blockedSenders: Pick<BlockedSenders, "block">;
  readonly secrets: Pick<Secrets, "hash">;
  readonly limits: Pick<AccountLimits, "blockedSenders">;
  readonly clock: Pick<Clock, "now">;
}): Operation<BlockSenderCommand, BlockedSender, BlockSenderError> =>
  operation(timing, command, async ({ account, sender }, timeLeft) => {
    const blocked = BlockedSender.create(secrets.hash, account, sender, timing.clock.now());
    const stored = await blockedSenders.block(blocked, limits, timeLeft());
    if (stored.isErr()) return err(stored.error.code === "conflict" ? ID_IN_USE : stored.error);
    return ok(stored.value.blocked);
  });
