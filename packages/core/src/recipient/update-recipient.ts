import { err, ok } from "neverthrow";
import * as z from "zod";
import type { RecipientAttached } from "../errors.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import {
  type ChangeRecipientError,
  type ChangeRecipientPorts,
  changeRecipient,
  type RecipientTarget,
  recipientTarget,
} from "./change-recipient.ts";
import { Recipient } from "./recipient.ts";
import { type AttachedAliases, refuseAttached } from "./refuse-attached.ts";

const command = recipientTarget.extend({ active: z.boolean().optional(), isDefault: z.boolean().optional() });

export type UpdateRecipientCommand = RecipientTarget & {
  /** Whether it may be attached to aliases; unchanged by default. */
  readonly active?: boolean | undefined;
  /** Whether it is the account's default recipient, in place of any other; unchanged by default. */
  readonly isDefault?: boolean | undefined;
};

export type UpdateRecipientError = InvalidRequest | RecipientAttached | ChangeRecipientError;

/**
 * Activates or deactivates a recipient, or makes it the default one. A recipient that is attached to a live alias cannot be deactivated: call
 * `reassignRecipient` first.
 *
 * @example
 * ```ts
 * await service.updateRecipient({ account, recipientId, active: false });
 * ```
 */
export const updateRecipient = ({
  aliases,
  ...ports
}: ChangeRecipientPorts & {
  readonly aliases: AttachedAliases;
}): Operation<UpdateRecipientCommand, Recipient, UpdateRecipientError> =>
  operation(ports, command, async ({ active, isDefault, ...target }, timeLeft) => {
    const changed = await changeRecipient(ports, timeLeft, target, (recipient, now) => {
      const chosen = isDefault === undefined ? recipient : Recipient.makeDefault(recipient, isDefault, now);
      if (active === undefined) return ok(chosen);
      return active ? ok(Recipient.activate(chosen, now)) : Recipient.deactivate(chosen, now);
    });
    if (changed.isOk()) return ok(changed.value);
    if (changed.error.code !== "still_attached") return err(changed.error);
    const { account, recipientId: id } = target;
    return refuseAttached(aliases, timeLeft, { account, id, attached: changed.error.attached });
  });
