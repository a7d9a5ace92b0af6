import * as z from "zod";
import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Suspensions } from "./suspensions.ts";

const command = z.object({ account: accountId });

export type ResumeAccountCommand = { readonly account: string };

export type ResumeAccountError = InvalidRequest | Unavailable;

/**
 * Ends the suspension of an account: everything is as it was before. Idempotent. Takes effect as `suspendAccount` does.
 *
 * @example
 * ```ts
 * await service.resumeAccount({ account });
 * ```
 */
export const resumeAccount = ({
  suspensions,
  ...timing
}: Timing & {
  readonly suspensions: Pick<Suspensions, "resume">;
}): Operation<ResumeAccountCommand, void, ResumeAccountError> =>
  operation(timing, command, ({ account }, timeLeft) => suspensions.resume(account, timeLeft()));
