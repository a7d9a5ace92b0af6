import * as z from "zod";
import type { AliasDeleted } from "../errors.ts";
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
import { description } from "./description.ts";

const command = aliasTarget.extend({ description: description.optional(), active: z.boolean().optional() });

export type UpdateAliasCommand = AliasTarget & {
  /** At most 500 characters once trimmed; unchanged by default. */
  readonly description?: string | undefined;
  /**
   * Whether the alias is switched on; unchanged by default. Switching it on, even if it is already on, removes any end in its rules that it
   * has reached.
   */
  readonly active?: boolean | undefined;
};

export type UpdateAliasError = InvalidRequest | AliasDeleted | ChangeAliasError;

/**
 * Changes an alias's description, or whether it is switched on. Omitted settings stay unchanged.
 *
 * @example
 * ```ts
 * await service.updateAlias({ account, aliasId, active: false });
 * ```
 */
export const updateAlias = (
  ports: ChangeAliasPorts,
): Operation<UpdateAliasCommand, Alias, UpdateAliasError> =>
  operation(ports, command, ({ description, active, ...target }, timeLeft) =>
    changeAlias(ports, timeLeft, target, [], (alias, _, now) =>
      Alias.change(alias, { description, active }, now),
    ),
  );
