import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { Alias } from "../../alias/alias.ts";
import type { AliasNotFound, InvalidRequest, Unavailable } from "../../errors.ts";
import type { Aliases } from "../../ports.ts";
import { AccountId, AliasId } from "../../values/identifiers.ts";
import { parse } from "../shared/parse.ts";

const Query = z.object({ account: AccountId, aliasId: AliasId });
export type GetAliasQuery = z.input<typeof Query>;

export type GetAliasError = InvalidRequest | AliasNotFound | Unavailable;

/** One alias, deleted or not. */
export const getAlias =
  ({ aliases }: { aliases: Pick<Aliases, "findWithRecipients"> }) =>
  async (input: GetAliasQuery): Promise<Result<Alias, GetAliasError>> => {
    const query = parse(Query, input);
    if (query.isErr()) return err(query.error);
    const { account, aliasId } = query.value;
    const found = await aliases.findWithRecipients(account, aliasId, []);
    if (found.isErr()) return err(found.error);
    const { alias } = found.value;
    return alias === null ? err({ code: "alias_not_found" }) : ok(alias);
  };
