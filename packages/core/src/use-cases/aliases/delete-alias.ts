import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import { Alias } from "../../alias/alias.ts";
import type { InvalidRequest } from "../../errors.ts";
import type { Aliases, Clock } from "../../ports.ts";
import { AliasTarget, type ChangeAliasError, changeAlias } from "../shared/change-alias.ts";
import { parse } from "../shared/parse.ts";

export type DeleteAliasCommand = z.input<typeof AliasTarget>;

export type DeleteAliasError = InvalidRequest | ChangeAliasError;

/**
 * Deletes an alias so that it can be restored: it forwards nothing, lets its recipients go, and its address stays
 * taken. Deleting it again succeeds and changes nothing.
 */
export const deleteAlias =
  (ports: { aliases: Pick<Aliases, "findWithRecipients" | "save">; clock: Clock }) =>
  async (input: DeleteAliasCommand): Promise<Result<Alias, DeleteAliasError>> => {
    const target = parse(AliasTarget, input);
    if (target.isErr()) return err(target.error);
    return changeAlias(ports, target.value, [], (alias, _, now) => ok(Alias.delete(alias, now)));
  };
