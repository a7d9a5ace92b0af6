import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { Alias } from "../alias.ts";
import { RecipientIds } from "../destinations.ts";
import type {
  AliasDeleted,
  AliasNotFound,
  InvalidRequest,
  PreconditionFailed,
  RecipientsIneligible,
  Unavailable,
} from "../errors.ts";
import { AccountId, AliasId } from "../identifiers.ts";
import { parse } from "../parse.ts";
import type { Aliases, Clock } from "../ports.ts";
import { whileContended } from "../retry.ts";
import { ExpectedVersions, expects } from "../version.ts";

const Command = z.object({
  account: AccountId,
  aliasId: AliasId,
  recipientIds: RecipientIds,
  expectedVersions: ExpectedVersions,
});
export type ReplaceRecipientsCommand = z.input<typeof Command>;

export type ReplaceRecipientsError =
  | InvalidRequest
  | AliasNotFound
  | AliasDeleted
  | RecipientsIneligible
  | PreconditionFailed
  | Unavailable;

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
  ({ aliases, clock }: { aliases: Pick<Aliases, "findWithRecipients" | "save">; clock: Clock }) =>
  async (input: ReplaceRecipientsCommand): Promise<Result<Alias, ReplaceRecipientsError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { account, aliasId, recipientIds, expectedVersions } = command.value;

    return whileContended(clock, async () => {
      const found = await aliases.findWithRecipients(account, aliasId, recipientIds);
      if (found.isErr()) return err(found.error);
      const { alias, recipients } = found.value;
      if (alias === null) return err({ code: "alias_not_found" });
      const replaced = Alias.replaceRecipients(alias, recipientIds, recipients, clock.now());
      if (replaced.isErr()) return err(replaced.error);
      if (!expects(expectedVersions, alias)) return err({ code: "precondition_failed" });
      if (replaced.value === alias) return ok(alias);
      const saved = await aliases.save(alias, replaced.value);
      return saved.map(() => replaced.value);
    });
  };
