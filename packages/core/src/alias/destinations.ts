import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { IneligibleRecipient, RecipientsIneligible } from "../errors.ts";
import { Recipient } from "../recipient/recipient.ts";
import type { EmailAddress } from "../values/email-address.ts";
import { type AccountId, type RecipientId, recipientId } from "../values/identifiers.ts";
import { isNonEmpty, type NonEmpty } from "../values/non-empty.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";

export type Destination = { readonly recipientId: RecipientId; readonly email: EmailAddress };

/** Where an alias forwards to: each recipient once, in the order chosen by the owner. */
export type Destinations = NonEmpty<Destination>;

/** The complete list of an alias's recipients: 1 to 40 ids. */
export type RecipientIds = NonEmpty<RecipientId>;

/**
 * The maximum number of recipients of an alias. A full swap then writes 1 alias, 40 detached and 40 attached
 * recipients, which fits the 100 items of one DynamoDB transaction.
 */
export const MAX_RECIPIENTS = 40;

export const recipientIds = z
  .array(recipientId, "must be a list of recipient ids")
  .max(MAX_RECIPIENTS, `must list at most ${MAX_RECIPIENTS} recipients`)
  .refine(
    (ids): ids is [RecipientId, ...RecipientId[]] => isNonEmpty(ids),
    "must list at least 1 recipient: mail must have somewhere to go",
  );

/** Parses a complete list of recipients: 1 to 40 recipient ids. */
export const parseRecipientIds = (input: unknown): Result<RecipientIds, InvalidRequest> =>
  parse(recipientIds, input);

export const Destinations = {
  /**
   * The destinations for `ids`, in that order; a repeated id counts once, where it first appears. `found` are the
   * recipients among them that exist, in any order; a recipient of another account counts as not found.
   */
  choose: (
    account: AccountId,
    ids: RecipientIds,
    found: readonly Recipient[],
  ): Result<Destinations, RecipientsIneligible> => {
    const byId = new Map<RecipientId, Recipient>();
    for (const recipient of found) byId.set(recipient.id, recipient);
    const chosen: Destination[] = [];
    const ineligible: IneligibleRecipient[] = [];
    for (const id of new Set(ids)) {
      const recipient = byId.get(id);
      const known = recipient !== undefined && recipient.account === account;
      const reason = known ? Recipient.ineligibility(recipient) : "unknown";
      if (reason !== null) ineligible.push({ id, reason });
      else if (known) chosen.push({ recipientId: id, email: recipient.email });
    }
    if (isNonEmpty(ineligible)) return err({ code: "recipients_ineligible", recipients: ineligible });
    // `ids` is not empty and none is ineligible, so at least one was chosen.
    return ok(chosen as [Destination, ...Destination[]]);
  },

  /** Replaces `from` with `target`; if `target` is already a destination, only removes `from`. */
  substitute: (destinations: Destinations, from: RecipientId, target: Destination): Destinations => {
    const present = destinations.some(({ recipientId }) => recipientId === target.recipientId);
    const changed = present
      ? destinations.filter(({ recipientId }) => recipientId !== from || recipientId === target.recipientId)
      : destinations.map((each) => (each.recipientId === from ? target : each));
    // Sound because `from` is removed only if `target` remains.
    return changed as [Destination, ...Destination[]];
  },

  /** The recipients of the destinations, in order. */
  recipientIds: ([first, ...others]: Destinations): RecipientIds => [
    first.recipientId,
    ...others.map(({ recipientId }) => recipientId),
  ],

  same: (a: Destinations, b: Destinations): boolean =>
    a.length === b.length && a.every((destination, i) => destination.recipientId === b[i]?.recipientId),
};
