import { err, type Result } from "neverthrow";
import type { z } from "zod";
import { Alias } from "../../alias/alias.ts";
import { RecipientIds } from "../../alias/destinations.ts";
import type { AliasDeleted, InvalidRequest, RecipientsIneligible } from "../../errors.ts";
import type { Aliases, Clock } from "../../ports.ts";
import { AliasTarget, type ChangeAliasError, changeAlias } from "../shared/change-alias.ts";
import { parse } from "../shared/parse.ts";

const Command = AliasTarget.extend({ recipientIds: RecipientIds });
export type ReplaceRecipientsCommand = z.input<typeof Command>;

export type ReplaceRecipientsError = InvalidRequest | AliasDeleted | RecipientsIneligible | ChangeAliasError;

/**
 * Sets the full destination list of an alias in one call (specification, section 4).
 *
 * - When it succeeds, the alias's recipients are exactly those listed, in the order listed (a repeated id
 *   counts once, at its first place); whoever is not listed is detached.
 * - When it fails, nothing has changed; after `unavailable` the replacement may also have been made whole.
 *   Never is there a mix of two lists, and never an empty one.
 * - The list already in place is a success that writes nothing.
 * - Concurrent calls take effect one after the other. With `expectedVersions` only while the alias is at one
 *   of these versions, else `precondition_failed`.
 */
export const replaceRecipients =
  (ports: { aliases: Pick<Aliases, "findWithRecipients" | "save">; clock: Clock }) =>
  async (input: ReplaceRecipientsCommand): Promise<Result<Alias, ReplaceRecipientsError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { recipientIds, ...target } = command.value;
    return changeAlias(ports, target, recipientIds, (alias, found, now) =>
      Alias.replaceRecipients(alias, recipientIds, found, now),
    );
  };
