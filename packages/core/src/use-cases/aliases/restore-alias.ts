import { err, type Result } from "neverthrow";
import type { z } from "zod";
import { Alias } from "../../alias/alias.ts";
import { RecipientIds } from "../../alias/destinations.ts";
import type { InvalidRequest, RecipientsIneligible, Unavailable } from "../../errors.ts";
import type { Aliases, Clock, Recipients } from "../../ports.ts";
import { AliasTarget, type ChangeAliasError, changeAlias } from "../shared/change-alias.ts";
import { parse } from "../shared/parse.ts";

const Command = AliasTarget.extend({ recipientIds: RecipientIds.optional() });
export type RestoreAliasCommand = z.input<typeof Command>;

export type RestoreAliasError = InvalidRequest | RecipientsIneligible | ChangeAliasError;

/**
 * Brings a deleted alias back, forwarding to the recipients it had, or to `recipientIds` where these are given:
 * some it had may no longer be there. An alias that is not deleted ends up the same way.
 */
export const restoreAlias =
  (ports: {
    aliases: Pick<Aliases, "findWithRecipients" | "save">;
    recipients: Pick<Recipients, "findAll">;
    clock: Clock;
  }) =>
  async (input: RestoreAliasCommand): Promise<Result<Alias, RestoreAliasError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { recipientIds, ...target } = command.value;
    if (recipientIds !== undefined) {
      return changeAlias(ports, target, recipientIds, (alias, found, now) =>
        Alias.restore(alias, recipientIds, found, now),
      );
    }
    return changeAlias(
      ports,
      target,
      [],
      async (alias, _, now): Promise<Result<Alias, RecipientsIneligible | Unavailable>> => {
        const [first, ...others] = alias.destinations;
        const own = [first.recipientId, ...others.map(({ recipientId }) => recipientId)] as const;
        const found = await ports.recipients.findAll(alias.account, own);
        return found.isErr() ? err(found.error) : Alias.restore(alias, own, found.value, now);
      },
    );
  };
