import { err, ok, type Result } from "neverthrow";
import type { Alias } from "../../alias/alias.ts";
import type { AliasNotFound, Unavailable } from "../../errors.ts";
import type { Aliases } from "../../ports.ts";
import type { AccountId, AliasId } from "../../values/identifiers.ts";
import type { TimeLeft } from "./deadline.ts";

/** The alias of the account, deleted or not. */
export const findAlias = async (
  aliases: Pick<Aliases, "findWithRecipients">,
  timeLeft: TimeLeft,
  { account, aliasId }: { readonly account: AccountId; readonly aliasId: AliasId },
): Promise<Result<Alias, AliasNotFound | Unavailable>> => {
  const found = await aliases.findWithRecipients(account, aliasId, [], timeLeft());
  if (found.isErr()) return err(found.error);
  const { alias } = found.value;
  return alias === null ? err({ code: "alias_not_found" }) : ok(alias);
};
