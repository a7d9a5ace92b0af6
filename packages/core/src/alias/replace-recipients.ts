import type { AliasDeleted, RecipientsIneligible } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Alias } from "./alias.ts";
import {
  type AliasTarget,
  aliasTarget,
  type ChangeAliasError,
  type ChangeAliasPorts,
  changeAlias,
} from "./change-alias.ts";
import { recipientIds } from "./destinations.ts";

const command = aliasTarget.extend({ recipientIds });

export type ReplaceRecipientsCommand = AliasTarget & {
  /** The complete list: 1 to 40 recipient ids. A repeated id counts once, where it first appears. */
  readonly recipientIds: readonly string[];
};

export type ReplaceRecipientsError = InvalidRequest | AliasDeleted | RecipientsIneligible | ChangeAliasError;

/**
 * Sets the complete list of an alias's recipients in one call.
 *
 * - On success, the alias's recipients are exactly those listed, in the order listed; all others are detached.
 * - On failure, nothing has changed, except that after `unavailable` the whole replacement may have been applied. The
 *   result is never a mix of two lists, and never an empty one.
 * - Replacing a list with itself succeeds and writes nothing.
 * - Concurrent calls take effect one after the other. With `expectedVersions`, the call fails with
 *   `precondition_failed` unless the alias is at one of these versions.
 *
 * @example
 * ```ts
 * const replaced = await service.replaceRecipients({ account, aliasId, recipientIds: [work, home] });
 * if (replaced.isErr()) replaced.error.code; // "recipients_ineligible", "alias_not_found", …
 * ```
 */
export const replaceRecipients = (
  ports: ChangeAliasPorts,
): Operation<ReplaceRecipientsCommand, Alias, ReplaceRecipientsError> =>
  operation(ports, command, (target, timeLeft) =>
    changeAlias(ports, timeLeft, target, target.recipientIds, (alias, found, now) =>
      Alias.replaceRecipients(alias, target.recipientIds, found, now),
    ),
  );
