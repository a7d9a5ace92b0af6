import { err, type Result } from "neverthrow";
import type { z } from "zod";
import type { Alias } from "../../alias/alias.ts";
import { AliasFilter } from "../../alias/alias-filter.ts";
import type { InvalidRequest, Unavailable } from "../../errors.ts";
import type { Aliases, Page } from "../../ports.ts";
import { AccountId, AliasId } from "../../values/identifiers.ts";
import { PageLimit } from "../../values/page.ts";
import { parse } from "../shared/parse.ts";

const Query = AliasFilter.extend({
  account: AccountId,
  limit: PageLimit,
  after: AliasId.nullable().default(null),
});
export type ListAliasesQuery = z.input<typeof Query>;

/** A page of the account's aliases, newest first; without the deleted ones unless asked for just these. */
export const listAliases =
  ({ aliases }: { aliases: Pick<Aliases, "list"> }) =>
  async (input: ListAliasesQuery): Promise<Result<Page<Alias, AliasId>, InvalidRequest | Unavailable>> => {
    const query = parse(Query, input);
    if (query.isErr()) return err(query.error);
    const { account, limit, after, ...filter } = query.value;
    return aliases.list(account, { limit, after }, filter);
  };
