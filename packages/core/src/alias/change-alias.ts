import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { AliasNotFound, Conflict, PreconditionFailed, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { expectedVersions } from "../operation/expected-versions.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { Recipient } from "../recipient/recipient.ts";
import { accountId, aliasId, type RecipientId } from "../values/identifiers.ts";
import type { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";

/** Names the alias that a command changes. */
export type AliasTarget = {
  readonly account: string;
  readonly aliasId: string;
  /** The versions at which the alias may be changed; any by default. */
  readonly expectedVersions?: readonly number[] | undefined;
};

export const aliasTarget = z.object({
  account: accountId,
  aliasId,
  expectedVersions,
});
type ParsedTarget = z.output<typeof aliasTarget>;

export type ChangeAliasPorts = RetryPorts & {
  readonly aliases: Pick<Aliases, "findWithRecipients" | "save">;
};

export type ChangeAliasError = AliasNotFound | PreconditionFailed | Unavailable;

type Decide<E> = (alias: Alias, found: readonly Recipient[], now: number) => Result<Alias, E>;

/**
 * Loads the alias and those of `recipientIds` that exist, decides, and saves: the only way to change an alias. Saves
 * nothing when the decision returns the alias unchanged. One attempt; `conflict` when a concurrent save won.
 *
 * A decision that fails is reported even if the version is not an expected one (RFC 9110, section 13.2.1).
 */
export const tryToChangeAlias = async <E extends { readonly code: string }>(
  { aliases, clock }: ChangeAliasPorts,
  timeLeft: TimeLeft,
  { account, aliasId, expectedVersions }: ParsedTarget,
  recipientIds: readonly RecipientId[],
  decide: Decide<E>,
): Promise<Result<Alias, E | ChangeAliasError | Conflict>> => {
  const found = await aliases.findWithRecipients(account, aliasId, recipientIds, timeLeft());
  if (found.isErr()) return err(found.error);
  const { alias, recipients } = found.value;
  if (alias === null) return err({ code: "alias_not_found" });
  const decided = decide(alias, recipients, clock.now());
  if (decided.isErr()) return err(decided.error);
  if (expectedVersions?.includes(alias.version) === false) return err({ code: "precondition_failed" });
  if (decided.value === alias) return ok(alias);
  const saved = await aliases.save(alias, decided.value, timeLeft());
  return saved.map(() => decided.value);
};

/** `tryToChangeAlias`, retried on conflict. */
export const changeAlias = <E extends { readonly code: string }>(
  ports: ChangeAliasPorts,
  timeLeft: TimeLeft,
  target: ParsedTarget,
  recipientIds: readonly RecipientId[],
  decide: Decide<E>,
): Promise<Result<Alias, E | ChangeAliasError>> =>
  retryOnConflict<Alias, E | ChangeAliasError>(ports, timeLeft, () =>
    tryToChangeAlias(ports, timeLeft, target, recipientIds, decide),
  );
