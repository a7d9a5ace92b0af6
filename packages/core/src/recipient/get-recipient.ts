import { err, ok } from "neverthrow";
import type { RecipientNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type RecipientTarget, recipientTarget } from "./change-recipient.ts";
import type { Recipient } from "./recipient.ts";
import type { Recipients } from "./recipients.ts";

export type GetRecipientQuery = RecipientTarget;

export type GetRecipientError = InvalidRequest | RecipientNotFound | Unavailable;

/**
 * Returns one recipient.
 *
 * @example
 * ```ts
 * const recipient = await service.getRecipient({ account, recipientId });
 * ```
 */
export const getRecipient = ({
  recipients,
  ...timing
}: Timing & {
  readonly recipients: Pick<Recipients, "find">;
}): Operation<GetRecipientQuery, Recipient, GetRecipientError> =>
  operation(timing, recipientTarget, async ({ account, recipientId }, timeLeft) => {
    const found = await recipients.find(account, recipientId, timeLeft());
    if (found.isErr()) return err(found.error);
    return found.value === null ? err({ code: "recipient_not_found" }) : ok(found.value);
  });
