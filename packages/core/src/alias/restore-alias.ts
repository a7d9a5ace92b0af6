import { err, ok } from "neverthrow";
import type { Conflict, RecipientsIneligible } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Alias } from "./alias.ts";
import {
  type AliasTarget,
  aliasTarget,
  type ChangeAliasError,
  type ChangeAliasPorts,
  changeAlias,
  tryToChangeAlias,
} from "./change-alias.ts";
import { Destinations, recipientIds } from "./destinations.ts";

const command = aliasTarget.extend({ recipientIds: recipientIds.optional() });

export type RestoreAliasCommand = AliasTarget & {
  /** The complete list of recipients: 1 to 40 ids. Defaults to those the alias had. */
  readonly recipientIds?: readonly string[] | undefined;
};

export type RestoreAliasError = InvalidRequest | RecipientsIneligible | ChangeAliasError;

/** The alias is deleted: these are the recipients to load before it can be restored. */
type Former = { readonly code: "former_recipients"; readonly destinations: Destinations };

/**
 * Restores a deleted alias with the recipients it had, or with `recipientIds` if given: some of the former recipients
 * may no longer exist. An alias that is not deleted ends up in the same state: without `recipientIds` it is
 * left unchanged.
 *
 * @example
 * ```ts
 * await service.restoreAlias({ account, aliasId, recipientIds: [home] });
 * ```
 */
export const restoreAlias = (
  ports: ChangeAliasPorts,
): Operation<RestoreAliasCommand, Alias, RestoreAliasError> =>
  operation(ports, command, async ({ recipientIds, ...target }, timeLeft) => {
    if (recipientIds !== undefined) {
      return changeAlias(ports, timeLeft, target, recipientIds, (alias, found, now) =>
        Alias.restore(alias, recipientIds, found, now),
      );
    }
    return retryOnConflict<Alias, RecipientsIneligible | ChangeAliasError>(ports, timeLeft, async () => {
      const first = await tryToChangeAlias<Former | Conflict>(ports, timeLeft, target, [], (alias) =>
        alias.deletedAt === null
          ? ok(alias)
          : err({ code: "former_recipients", destinations: alias.destinations }),
      );
      if (first.isOk()) return ok(first.value);
      if (first.error.code !== "former_recipients") return err(first.error);
      const { destinations } = first.error;
      const ids = Destinations.recipientIds(destinations);
      return tryToChangeAlias<RecipientsIneligible | Conflict>(
        ports,
        timeLeft,
        target,
        ids,
        (alias, found, now) => {
          if (alias.deletedAt === null) return ok(alias);
          // Another call may have restored it to other recipients and deleted it again in between.
          return Destinations.same(alias.destinations, destinations)
            ? Alias.restore(alias, ids, found, now)
            : err({ code: "conflict" });
        },
      );
    });
  });
