import { err, ok, type Result } from "neverthrow";
import type { z } from "zod";
import { Alias } from "../../alias/alias.ts";
import { Destinations } from "../../alias/destinations.ts";
import type { InvalidRequest, RecipientNotFound, RecipientsIneligible, Unavailable } from "../../errors.ts";
import type { Aliases, Clock, Recipients } from "../../ports.ts";
import { AliasId, RecipientId } from "../../values/identifiers.ts";
import { type ChangeAliasError, changeAlias } from "../shared/change-alias.ts";
import { RecipientTarget } from "../shared/change-recipient.ts";
import { parse } from "../shared/parse.ts";

const Command = RecipientTarget.extend({
  /** Who takes the place of `recipientId`. */
  to: RecipientId,
  /** Goes on where an earlier call stopped. */
  after: AliasId.nullable().default(null),
}).refine(({ recipientId, to }) => recipientId !== to, {
  path: ["to"],
  error: "must be another recipient",
});
export type ReassignRecipientCommand = z.input<typeof Command>;

export type ReassignRecipientError = InvalidRequest | RecipientNotFound | RecipientsIneligible | Unavailable;

export type Reassignment = {
  /** The aliases that no longer forward to the recipient by this call. */
  readonly reassigned: readonly AliasId[];
  /** How many aliases forward to it now. */
  readonly remaining: number;
  /** Where to go on; null when the last alias was reached. */
  readonly next: AliasId | null;
};

/** A call takes so many aliases at most, so that it ends in good time. */
const ALIASES_A_CALL = 25;

/** Whether going on with other aliases would end the same way; otherwise it is only this alias that has gone. */
const isFinal = (
  error: RecipientsIneligible | ChangeAliasError,
): error is RecipientsIneligible | Unavailable =>
  error.code === "recipients_ineligible" || error.code === "unavailable";

/**
 * Makes aliases forward to `to` in the place of a recipient, 25 a call. Each alias changes atomically and keeps its
 * order; where `to` is there already the recipient is only taken out. Repeating a call, or going on after a crash,
 * does the rest and nothing twice; a call that fails midway tells what it has done and where to go on. When `remaining` is 0 the recipient can be deactivated or deleted.
 */
export const reassignRecipient =
  ({
    aliases,
    recipients,
    clock,
  }: {
    aliases: Pick<Aliases, "list" | "findWithRecipients" | "save">;
    recipients: Pick<Recipients, "find" | "findAll">;
    clock: Clock;
  }) =>
  async (input: ReassignRecipientCommand): Promise<Result<Reassignment, ReassignRecipientError>> => {
    const command = parse(Command, input);
    if (command.isErr()) return err(command.error);
    const { account, recipientId: from, to, after } = command.value;

    const both = await recipients.findAll(account, [from, to]);
    if (both.isErr()) return err(both.error);
    if (!both.value.some(({ id }) => id === from)) return err({ code: "recipient_not_found" });
    const target = Destinations.choose(account, [to], both.value);
    if (target.isErr()) return err(target.error);

    const page = await aliases.list(
      account,
      { limit: ALIASES_A_CALL, after },
      { deleted: false, recipient: from },
    );
    if (page.isErr()) return err(page.error);
    const reassigned: AliasId[] = [];
    let next = page.value.next;
    for (const { id: aliasId } of page.value.items) {
      const changed = await changeAlias({ aliases, clock }, { account, aliasId }, [to], (alias, found, now) =>
        Alias.reassign(alias, from, to, found, now),
      );
      if (changed.isOk()) reassigned.push(aliasId);
      else if (isFinal(changed.error)) {
        const last = reassigned.at(-1);
        if (last === undefined) return err(changed.error);
        next = last;
        break;
      }
    }

    const left = await recipients.find(account, from);
    if (left.isErr()) return err(left.error);
    return ok({ reassigned, remaining: left.value?.attached ?? 0, next });
  };
