import { err, type Result } from "neverthrow";
import * as z from "zod";
import type { AliasNotFound, Conflict, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import { type AccountId, type AliasId, accountId, aliasId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import type { Aliases } from "./aliases.ts";

const command = z.object({ account: accountId, aliasId });

export type EraseAliasCommand = { readonly account: string; readonly aliasId: string };

export type EraseAliasError = InvalidRequest | AliasNotFound | Unavailable;

export type EraseAliasPorts = RetryPorts & {
  readonly aliases: Pick<Aliases, "findWithRecipients" | "erase">;
};

/** Erases the alias at whatever version is stored. */
export const erase = (
  { aliases, ...retry }: EraseAliasPorts,
  timeLeft: TimeLeft,
  account: AccountId,
  id: AliasId,
): Promise<Result<void, AliasNotFound | Unavailable>> =>
  retryOnConflict(
    retry,
    timeLeft,
    async (): Promise<Result<void, AliasNotFound | Unavailable | Conflict>> => {
      const found = await aliases.findWithRecipients(account, id, [], timeLeft());
      if (found.isErr()) return err(found.error);
      const { alias } = found.value;
      return alias === null ? err({ code: "alias_not_found" }) : aliases.erase(alias, timeLeft());
    },
  );

/**
 * Permanently removes an alias, deleted or not, with everything stored about it. Only its address remains, with no link
 * to the account, and stays taken, so that no other account can receive mail meant for the former owner. Cannot be
 * undone.
 *
 * After `unavailable`, call it again: `alias_not_found` then means that the alias is erased.
 *
 * @example
 * ```ts
 * await service.eraseAlias({ account, aliasId });
 * ```
 */
export const eraseAlias = (ports: EraseAliasPorts): Operation<EraseAliasCommand, void, EraseAliasError> =>
  operation(ports, command, ({ account, aliasId }, timeLeft) => erase(ports, timeLeft, account, aliasId));
