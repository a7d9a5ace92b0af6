import { err, ok, type Result } from "neverthrow";
import type { AliasNotFound, Conflict, Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { Destinations } from "./destinations.ts";
import { findAlias } from "./find-alias.ts";
import { type GetAliasError, type GetAliasQuery, getAliasQuery } from "./get-alias.ts";

/** An alias and its recipients, in its order; of a deleted one, those of its former recipients that still exist. */
export type AliasWithRecipients = { readonly alias: Alias; readonly recipients: readonly Recipient[] };

/**
 * Returns an alias, deleted or not, with its recipients, as they were at one time.
 *
 * @example
 * ```ts
 * const { recipients } = await service.getAliasRecipients({ account, aliasId });
 * ```
 */
export const getAliasRecipients = ({
  aliases,
  ...ports
}: RetryPorts & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
}): Operation<GetAliasQuery, AliasWithRecipients, GetAliasError> =>
  operation(ports, getAliasQuery, (target, timeLeft) =>
    retryOnConflict<AliasWithRecipients, AliasNotFound | Unavailable>(
      ports,
      timeLeft,
      async (): Promise<Result<AliasWithRecipients, AliasNotFound | Conflict | Unavailable>> => {
        const known = await findAlias(aliases, timeLeft, target);
        if (known.isErr()) return err(known.error);
        const ids = Destinations.recipientIds(known.value.destinations);
        const found = await aliases.findWithRecipients(target.account, target.aliasId, ids, timeLeft());
        if (found.isErr()) return err(found.error);
        const { alias, recipients } = found.value;
        if (alias === null) return err({ code: "alias_not_found" });
        if (!Destinations.same(alias.destinations, known.value.destinations))
          return err({ code: "conflict" });
        const byId = new Map(recipients.map((each) => [each.id, each]));
        return ok({ alias, recipients: ids.flatMap((id) => byId.get(id) ?? []) });
      },
    ),
  );
