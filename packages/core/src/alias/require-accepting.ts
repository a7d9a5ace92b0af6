import { err, ok, type Result } from "neverthrow";
import type { Suspensions } from "../account/suspensions.ts";
import type { AliasDeleted, AliasInactive, AliasSuspended, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { Clock } from "../ports/clock.ts";
import { Alias, type AliasState } from "./alias.ts";

/** Whether the alias itself takes part in mail. */
export const acceptsMail = (alias: AliasState, now: number): Result<void, AliasDeleted | AliasInactive> => {
  if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
  return Alias.accepts(alias, now)
    ? ok()
    : err({ code: "alias_inactive", account: alias.account, aliasId: alias.id, isOver: alias.active });
};

/** Whether the alias takes part in mail. A suspension of its account takes precedence over its own state. */
export const requireAccepting = async (
  {
    suspensions,
    clock,
  }: { readonly suspensions: Pick<Suspensions, "find">; readonly clock: Pick<Clock, "now"> },
  timeLeft: TimeLeft,
  alias: AliasState,
): Promise<Result<void, AliasSuspended | AliasDeleted | AliasInactive | Unavailable>> => {
  const suspendedSince = await suspensions.find(alias.account, timeLeft());
  if (suspendedSince.isErr()) return err(suspendedSince.error);
  if (suspendedSince.value !== null) {
    return err({ code: "account_suspended", account: alias.account, aliasId: alias.id });
  }
  return acceptsMail(alias, clock.now());
};
