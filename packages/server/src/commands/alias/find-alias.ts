import {
  type AccountId,
  type Alias,
  err,
  ok,
  parseAliasId,
  parseEmailAddress,
  type Result,
} from "@postern/core";
import type { OwnerPorts } from "../account/for-owner.ts";
import { storeFailed } from "../explain-cause.ts";

export const RECIPIENTS_CHANGED =
  "The recipients were changed at the same time: nothing was changed. Run the command again.";

export const CHANGED_MEANWHILE =
  "The alias was changed at the same time: nothing was changed. Run the command again.";

export const DELETED =
  "The alias is deleted, and cannot be changed unless its owner restores it. Nothing was changed.";

const UNKNOWN = "The account has no such alias: `alias list` shows its aliases. Nothing was changed.";

const failed = (error: Parameters<typeof storeFailed>[0]) =>
  err(storeFailed(error, "nothing was changed. Try again"));

/** The alias of the account with this address or id. */
export const findAlias = async (
  { aliases }: OwnerPorts,
  account: AccountId,
  name: string,
): Promise<Result<Alias, string>> => {
  const email = parseEmailAddress(name);
  const named = email.isOk() ? await aliases.findByEmail(email.value) : ok(null);
  if (named.isErr()) return failed(named.error);
  if (named.value !== null && named.value.account !== account)
    return err("The alias belongs to another account, which `alias owner` names. Nothing was changed.");
  const id = named.value === null ? parseAliasId(name) : ok(named.value.id);
  if (id.isErr()) return err(UNKNOWN);
  const found = await aliases.findWithRecipients(account, id.value, []);
  if (found.isErr()) return failed(found.error);
  return found.value.alias === null ? err(UNKNOWN) : ok(found.value.alias);
};
