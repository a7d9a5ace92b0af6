import * as z from "zod";
import type { Alias } from "../../alias/alias.ts";
import type { AliasNotFound, Unavailable } from "../../errors.ts";
import type { Aliases } from "../../ports.ts";
import { accountId, aliasId } from "../../values/identifiers.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import type { Timing } from "../shared/deadline.ts";
import { findAlias } from "../shared/find-alias.ts";
import { type Operation, operation } from "../shared/operation.ts";

const query = z.object({ account: accountId, aliasId });

export type GetAliasQuery = { readonly account: string; readonly aliasId: string };

export type GetAliasError = InvalidRequest | AliasNotFound | Unavailable;

/**
 * Returns one alias, deleted or not.
 *
 * @example
 * ```ts
 * const alias = await service.getAlias({ account, aliasId });
 * ```
 */
export const getAlias = ({
  aliases,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
}): Operation<GetAliasQuery, Alias, GetAliasError> =>
  operation(timing, query, (target, timeLeft) => findAlias(aliases, timeLeft, target));
