import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Suspensions } from "./suspensions.ts";

const command = z.object({ account: accountId });

export type SuspendAccountCommand = { readonly account: string };

export type SuspendAccountError = InvalidRequest | Unavailable;

/**
 * For the operator: suspends an account. Everything that the account does itself fails with `account_suspended` and
 * changes nothing, and `resolveAlias` refuses the addresses of its aliases. Nothing is removed, and the account need not
 * have anything stored. Mailbox owners can still use their links, and mail outcomes are still counted. Idempotent.
 *
 * Takes effect at once for this `postern`, and within 10 seconds for every other one on the same store.
 *
 * @example
 * ```ts
 * await service.suspendAccount({ account });
 * ```
 */
export const suspendAccount = ({
  suspensions,
  ...timing
}: Timing & {
  readonly suspensions: Pick<Suspensions, "suspend">;
}): Operation<SuspendAccountCommand, void, SuspendAccountError> =>
  operation(timing, command, ({ account }, timeLeft) =>
    suspensions.suspend(account, timing.clock.now(), timeLeft()),
  );
