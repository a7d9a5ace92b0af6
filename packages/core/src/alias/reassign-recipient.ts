import { err, ok } from "neverthrow";
import type { RecipientNotFound, RecipientsIneligible, Unavailable } from "../errors.ts";
import { leavingAQuarter } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import { type RecipientTarget, recipientTarget } from "../recipient/change-recipient.ts";
import type { Recipients } from "../recipient/recipients.ts";
import { type AliasId, aliasId, recipientId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { Alias } from "./alias.ts";
import type { Aliases } from "./aliases.ts";
import { type ChangeAliasError, type ChangeAliasPorts, changeAlias } from "./change-alias.ts";
import { Destinations } from "./destinations.ts";

const command = recipientTarget
  .extend({ to: recipientId, after: aliasId.nullable().default(null) })
  .refine(({ recipientId, to }) => recipientId !== to, {
    path: ["to"],
    error: "must be another recipient",
  });

export type ReassignRecipientCommand = RecipientTarget & {
  /** The recipient that replaces `recipientId`. */
  readonly to: string;
  /** `next` of the previous call, to continue where it stopped; from the newest alias by default. */
  readonly after?: string | null | undefined;
};

export type ReassignRecipientError = InvalidRequest | RecipientNotFound | RecipientsIneligible | Unavailable;

export type Reassignment = {
  /** The aliases from which this call detached the recipient. */
  readonly reassigned: readonly AliasId[];
  /** How many live aliases the recipient is attached to now. */
  readonly remaining: number;
  /** Where to continue; null when the last alias was reached. */
  readonly next: AliasId | null;
};

/** A call changes at most this many aliases, so that it finishes quickly. */
const MAX_ALIASES_PER_CALL = 25;

/** Whether other aliases would fail in the same way. If not, only this alias has been removed. */
const isFinal = (
  error: RecipientsIneligible | ChangeAliasError,
): error is RecipientsIneligible | Unavailable =>
  error.code === "recipients_ineligible" || error.code === "unavailable";

/**
 * Replaces a recipient with `to` in the aliases it is attached to, up to 25 per call. Each alias changes atomically and
 * keeps its order; where `to` is already attached, the recipient is only detached. Safe to repeat: finished aliases are
 * skipped. A call that fails midway returns what it has done and where to continue. When `remaining` is 0, the
 * recipient can be deactivated or deleted.
 *
 * @example
 * ```ts
 * const moved = await service.reassignRecipient({ account, recipientId: old, to: home });
 * ```
 */
export const reassignRecipient = ({
  recipients,
  onUnreported,
  ...ports
}: ChangeAliasPorts & {
  readonly onUnreported?: OnUnreported | undefined;
  readonly aliases: Pick<Aliases, "list">;
  readonly recipients: Pick<Recipients, "find" | "findAll">;
}): Operation<ReassignRecipientCommand, Reassignment, ReassignRecipientError> =>
  operation(ports, command, async ({ account, recipientId: from, to, after }, timeLeft) => {
    const both = await recipients.findAll(account, [from, to], timeLeft());
    if (both.isErr()) return err(both.error);
    if (!both.value.some(({ id }) => id === from)) return err({ code: "recipient_not_found" });
    const target = Destinations.choose(account, [to], both.value);
    if (target.isErr()) return err(target.error);

    const page = await ports.aliases.list(
      account,
      { limit: MAX_ALIASES_PER_CALL, after },
      { deleted: false, recipient: from },
      timeLeft(),
    );
    if (page.isErr()) return err(page.error);
    const reassigned: AliasId[] = [];
    let next = page.value.next;
    // The rest of the time is for finding out what remains.
    const timeForAliases = leavingAQuarter(timeLeft);
    for (const { id: aliasId } of page.value.items) {
      let isAttached = false;
      const changed = await changeAlias(
        ports,
        timeForAliases,
        { account, aliasId },
        [to],
        (alias, found, now) => {
          isAttached = Alias.attachedRecipients(alias).includes(from);
          return Alias.reassign(alias, from, to, found, now);
        },
      );
      if (changed.isOk()) {
        // Another call may have detached it since the alias was listed.
        if (isAttached) reassigned.push(aliasId);
      } else if (isFinal(changed.error)) {
        const last = reassigned.at(-1);
        if (last === undefined) return err(changed.error);
        if (changed.error.code === "unavailable") onUnreported?.(changed.error);
        next = last;
        break;
      }
    }

    const left = await recipients.find(account, from, timeLeft());
    if (left.isErr()) return err(left.error);
    return ok({ reassigned, remaining: left.value?.attached ?? 0, next });
  });
