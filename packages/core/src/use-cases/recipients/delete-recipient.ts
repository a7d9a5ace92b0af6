import { err, type Result } from "neverthrow";
import type { Conflict, RecipientAttached, RecipientNotFound, Unavailable } from "../../errors.ts";
import type { Aliases, Recipients } from "../../ports.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import { type RecipientTarget, recipientTarget } from "../shared/change-recipient.ts";
import { type Operation, operation } from "../shared/operation.ts";
import { refuseAttached } from "../shared/refuse-attached.ts";
import { type RetryPorts, retryOnConflict } from "../shared/retry-on-conflict.ts";

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
  readonly aliases: Pick<Aliases, "list">;
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
