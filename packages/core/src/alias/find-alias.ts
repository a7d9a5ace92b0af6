import { err, ok, type Result } from "neverthrow";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { AccountId, AliasId } from "../values/identifiers.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";

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
