import { err, type Result } from "neverthrow";
import type { z } from "zod";
import type {
  Conflict,
  InvalidRequest,
  RecipientAttached,
  RecipientNotFound,
  Unavailable,
} from "../../errors.ts";
import type { Aliases, Clock, Recipients } from "../../ports.ts";
import { RecipientTarget } from "../shared/change-recipient.ts";
import { parse } from "../shared/parse.ts";
import { refuseAttached } from "../shared/refuse-attached.ts";
import { whileContended } from "../shared/retry-on-conflict.ts";

export type DeleteRecipientCommand = z.input<typeof RecipientTarget>;

export type DeleteRecipientError = InvalidRequest | RecipientNotFound | RecipientAttached | Unavailable;

/** Forgets a recipient for good. One that an alias holds stays: `reassignRecipient` first. */
export const deleteRecipient =
  ({
    aliases,
    recipients,
    clock,
  }: {
    aliases: Pick<Aliases, "list">;
    recipients: Pick<Recipients, "find" | "remove">;
    clock: Clock;
  }) =>
  async (input: DeleteRecipientCommand): Promise<Result<void, DeleteRecipientError>> => {
    const target = parse(RecipientTarget, input);
    if (target.isErr()) return err(target.error);
    const { account, recipientId } = target.value;
    return whileContended(clock, async (): Promise<Result<void, DeleteRecipientError | Conflict>> => {
      const found = await recipients.find(account, recipientId);
      if (found.isErr()) return err(found.error);
      if (found.value === null) return err({ code: "recipient_not_found" });
      if (found.value.attached > 0) return refuseAttached(aliases, found.value);
      return recipients.remove(found.value);
    });
  };
