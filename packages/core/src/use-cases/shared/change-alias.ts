import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { Alias } from "../../alias/alias.ts";
import type { AliasNotFound, Conflict, PreconditionFailed, Unavailable } from "../../errors.ts";
import type { Aliases, Clock } from "../../ports.ts";
import type { Recipient } from "../../recipient/recipient.ts";
import { AccountId, AliasId, type RecipientId } from "../../values/identifiers.ts";
import { whileContended } from "./retry-on-conflict.ts";

/** Which alias to change, and at which versions it may still be changed: any when `expectedVersions` is absent. */
export const AliasTarget = z.object({
  account: AccountId,
  aliasId: AliasId,
  expectedVersions: z.array(z.int().positive()).readonly().optional(),
});
type AliasTarget = z.output<typeof AliasTarget>;

export type ChangeAliasError = AliasNotFound | PreconditionFailed | Unavailable;

/**
 * Loads the alias with those of `recipientIds` that exist, decides and saves: the one way in which an alias is
 * changed. Somebody else's save in between means loading and deciding again. When the decision gives the alias
 * back as it was, nothing is written.
 *
 * A decision that fails is the answer even if the version is not one expected (RFC 9110, section 13.2.1).
 */
export const changeAlias = <E extends { readonly code: string }>(
  { aliases, clock }: { aliases: Pick<Aliases, "findWithRecipients" | "save">; clock: Clock },
  { account, aliasId, expectedVersions }: AliasTarget,
  recipientIds: readonly RecipientId[],
  decide: (
    alias: Alias,
    found: readonly Recipient[],
    now: number,
  ) => Result<Alias, E> | Promise<Result<Alias, E>>,
): Promise<Result<Alias, E | ChangeAliasError>> =>
  whileContended(clock, async (): Promise<Result<Alias, E | ChangeAliasError | Conflict>> => {
    const found = await aliases.findWithRecipients(account, aliasId, recipientIds);
    if (found.isErr()) return err(found.error);
    const { alias, recipients } = found.value;
    if (alias === null) return err({ code: "alias_not_found" });
    const decided = await decide(alias, recipients, clock.now());
    if (decided.isErr()) return err(decided.error);
    if (expectedVersions?.includes(alias.version) === false) return err({ code: "precondition_failed" });
    if (decided.value === alias) return ok(alias);
    const saved = await aliases.save(alias, decided.value);
    return saved.map(() => decided.value);
  });
