import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type AliasId, accountId, aliasId } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { aliasFilter } from "./search/alias-filter.ts";

const query = aliasFilter.extend({ account: accountId, ...pageAfter(aliasId) });

export type ListAliasesQuery = PageQuery & {
  readonly account: string;
  /** Only deleted aliases, or only live ones (the default). */
  readonly deleted?: boolean | undefined;
  /** Only aliases that accept mail, or only those that do not. */
  readonly active?: boolean | undefined;
  /** The start of the address, or the starts of words in the description and the website. Ignores case. */
  readonly q?: string | undefined;
  /** Only live aliases that this recipient is attached to. */
  readonly recipient?: string | undefined;
};

export type ListAliasesError = InvalidRequest | Unavailable;

/**
 * Returns a page of the account's aliases, newest first. Check `next` to see whether there are more: a store that is
 * still searching can return a short or even an empty page.
 *
 * @example
 * ```ts
 * const page = await service.listAliases({ account, q: "shop", limit: 20 });
 * ```
 */
export const listAliases = ({
  aliases,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "list">;
}): Operation<ListAliasesQuery, Page<Alias, AliasId>, ListAliasesError> =>
  operation(timing, query, ({ account, limit, after, ...filter }, timeLeft) =>
    aliases.list(account, { limit, after }, filter, timeLeft()),
  );
