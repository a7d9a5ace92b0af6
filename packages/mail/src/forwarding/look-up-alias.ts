import type { AliasState, PortResult, TimeLeft } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { AliasAddress } from "../copy/purpose.ts";

/** An alias for which mail is queued. `suspended` if its account is; null if it was deleted or erased. */
export type FoundAlias = AliasState | "suspended" | null;

/** Looks up an alias as it is now. */
export type LookUpAlias = (alias: AliasAddress, timeLeft: TimeLeft) => PortResult<FoundAlias>;

export const lookUpAlias =
  ({ aliases, suspensions }: Pick<MailContext, "aliases" | "suspensions">): LookUpAlias =>
  async ({ account, email }, timeLeft) => {
    const suspendedSince = await suspensions.find(account, timeLeft());
    if (suspendedSince.isErr()) return err(suspendedSince.error);
    if (suspendedSince.value !== null) return ok("suspended");
    const found = await aliases.findByEmail(email, timeLeft());
    return found.map((alias) => (alias === null || alias.deletedAt !== null ? null : alias));
  };

/** `lookUp` for several copies at the same time: those of one alias share a lookup, even if it fails. */
export const lookUpOnce = (lookUp: LookUpAlias): LookUpAlias => {
  const found = new Map<string, ReturnType<LookUpAlias>>();
  return (alias, timeLeft) => {
    const key = JSON.stringify([alias.account, alias.id]);
    const lookup = found.get(key) ?? lookUp(alias, timeLeft);
    found.set(key, lookup);
    return lookup;
  };
};
