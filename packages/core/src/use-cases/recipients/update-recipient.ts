import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import type { InvalidRequest, RecipientAttached } from "../../errors.ts";
import type { Aliases, Clock, Recipients } from "../../ports.ts";
import { Recipient } from "../../recipient/recipient.ts";
import { type ChangeRecipientError, changeRecipient, RecipientTarget } from "../shared/change-recipient.ts";
import { parse } from "../shared/parse.ts";
import { refuseAttached } from "../shared/refuse-attached.ts";

const Command = RecipientTarget.extend({ active: z.boolean().optional() });
export type UpdateRecipientCommand = z.input<typeof Command>;

export type UpdateRecipientError = InvalidRequest | RecipientAttached | ChangeRecipientError;

/** Activates or deactivates a recipient. One that an alias holds cannot be deactivated: `reassignRecipient` first. */
export const updateRecipient =
  ({
    aliases,
    recipients,
    clock,
  }: {
    aliases: Pick<Aliases, "list">;
    recipients: Pick<Recipients, "find" | "save">;
    clock: Clock;
  }) =>
  async (input: UpdateRecipientCommand): Promise<Result<Recipient, UpdateRecipientError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { active, ...target } = command.value;
    const changed = await changeRecipient({ recipients, clock }, target, (recipient, now) => {
      if (active === undefined) return ok(recipient);
      return active ? ok(Recipient.activate(recipient, now)) : Recipient.deactivate(recipient, now);
    });
    if (changed.isOk()) return ok(changed.value);
    if (changed.error.code !== "recipient_attached") return err(changed.error);
    const { account, recipientId: id } = target;
    return refuseAttached(aliases, { account, id, attached: changed.error.aliases });
  };
