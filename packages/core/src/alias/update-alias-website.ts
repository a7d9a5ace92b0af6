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
import { website } from "./website.ts";

const command = aliasTarget.extend({ website });

export type UpdateAliasWebsiteCommand = AliasTarget & {
  /** The website, as an address or host of at most 2,000 characters: its host is kept. Empty for none. */
  readonly website: string;
};

export type UpdateAliasWebsiteError = InvalidRequest | AliasDeleted | ChangeAliasError;

/**
 * Changes for which website an alias is.
 *
 * @example
 * ```ts
 * await service.updateAliasWebsite({ account, aliasId, website: "shop.example" });
 * ```
 */
export const updateAliasWebsite = (
  ports: ChangeAliasPorts,
): Operation<UpdateAliasWebsiteCommand, Alias, UpdateAliasWebsiteError> =>
  operation(ports, command, ({ website, ...target }, timeLeft) =>
    changeAlias(ports, timeLeft, target, [], (alias, _, now) => Alias.changeWebsite(alias, website, now)),
  );
