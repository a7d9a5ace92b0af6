import { err } from "neverthrow";
import { Alias } from "../../alias/alias.ts";
import { Destinations, recipientIds } from "../../alias/destinations.ts";
import type { Conflict, RecipientsIneligible } from "../../errors.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import {
  type AliasTarget,
  aliasTarget,
  type ChangeAliasError,
  type ChangeAliasPorts,
  changeAlias,
  tryToChangeAlias,
} from "../shared/change-alias.ts";
import { type Operation, operation } from "../shared/operation.ts";
import { retryOnConflict } from "../shared/retry-on-conflict.ts";

const command = aliasTarget.extend({ recipientIds: recipientIds.optional() });

export type RestoreAliasCommand = AliasTarget & {
  /** The complete list of recipients: 1 to 40 ids. Defaults to those the alias had. */
  readonly recipientIds?: readonly string[] | undefined;
};

export type RestoreAliasError = InvalidRequest | RecipientsIneligible | ChangeAliasError;

/**
 * Restores a deleted alias with the recipients it had, or with `recipientIds` if given: some of the former recipients
 * may no longer exist. An alias that is not deleted ends up in the same state.
 *
 * @example
 * ```ts
 * await service.restoreAlias({ account, aliasId, recipientIds: [home] });
 * ```
 */
export const restoreAlias = (
  ports: ChangeAliasPorts,
): Operation<RestoreAliasCommand, Alias, RestoreAliasError> =>
  operation(command, async ({ recipientIds, ...target }) => {
    if (recipientIds !== undefined) {
      return changeAlias(ports, target, recipientIds, (alias, found, now) =>
        Alias.restore(alias, recipientIds, found, now),
      );
    }
    return retryOnConflict<Alias, RecipientsIneligible | ChangeAliasError>(ports, async () => {
      const remembered = await ports.aliases.findWithRecipients(target.account, target.aliasId, []);
      if (remembered.isErr()) return err(remembered.error);
      if (remembered.value.alias === null) return err({ code: "alias_not_found" });
      const { destinations } = remembered.value.alias;
      const ids = Destinations.recipientIds(destinations);
      return tryToChangeAlias<RecipientsIneligible | Conflict>(ports, target, ids, (alias, found, now) =>
        // Another call may have restored it to other recipients and deleted it again in between.
        Destinations.same(alias.destinations, destinations)
          ? Alias.restore(alias, ids, found, now)
          : err({ code: "conflict" }),
      );
    });
  });
