import { ok } from "neverthrow";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Alias } from "./alias.ts";
import {
  type AliasTarget,
  aliasTarget,
  type ChangeAliasError,
  type ChangeAliasPorts,
  changeAlias,
} from "./change-alias.ts";

export type DeleteAliasCommand = AliasTarget;

export type DeleteAliasError = InvalidRequest | ChangeAliasError;

/**
 * Deletes an alias so that it can be restored: it stops forwarding, its recipients are detached, and its address stays
 * taken. Idempotent. To remove it permanently, use `eraseAlias`.
 *
 * @example
 * ```ts
 * await service.deleteAlias({ account, aliasId });
 * ```
 */
export const deleteAlias = (
  ports: ChangeAliasPorts,
): Operation<DeleteAliasCommand, Alias, DeleteAliasError> =>
  operation(ports, aliasTarget, (target, timeLeft) =>
    changeAlias(ports, timeLeft, target, [], (alias, _, now) => ok(Alias.delete(alias, now))),
  );
