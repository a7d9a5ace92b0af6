import * as z from "zod";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { findAlias } from "./find-alias.ts";

export const getAliasQuery = z.object({ account: accountId, aliasId });

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
  operation(timing, getAliasQuery, (target, timeLeft) => findAlias(aliases, timeLeft, target));
