import { err, type Result } from "neverthrow";
import type { Conflict, RecipientAttached, RecipientNotFound, Unavailable } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type RecipientTarget, recipientTarget } from "./change-recipient.ts";
import type { Recipients } from "./recipients.ts";
import { type AttachedAliases, refuseAttached } from "./refuse-attached.ts";

export type DeleteRecipientCommand = RecipientTarget;

export type DeleteRecipientError = InvalidRequest | RecipientNotFound | RecipientAttached | Unavailable;

type Failure = Exclude<DeleteRecipientError, InvalidRequest>;

/**
 * Permanently removes a recipient. A recipient that is attached to a live alias cannot be removed: call
 * `reassignRecipient` first.
 *
 * @example
 * ```ts
 * await service.deleteRecipient({ account, recipientId });
 * ```
 */
export const deleteRecipient = ({
  aliases,
  recipients,
  ...retry
}: RetryPorts & {
  readonly aliases: AttachedAliases;
  readonly recipients: Pick<Recipients, "find" | "remove">;
}): Operation<DeleteRecipientCommand, void, DeleteRecipientError> =>
  operation(retry, recipientTarget, ({ account, recipientId }, timeLeft) =>
    retryOnConflict<void, Failure>(retry, timeLeft, async (): Promise<Result<void, Failure | Conflict>> => {
      const found = await recipients.find(account, recipientId, timeLeft());
      if (found.isErr()) return err(found.error);
      if (found.value === null) return err({ code: "recipient_not_found" });
      if (found.value.attached > 0) return refuseAttached(aliases, timeLeft, found.value);
      return recipients.remove(found.value, timeLeft());
    }),
  );
