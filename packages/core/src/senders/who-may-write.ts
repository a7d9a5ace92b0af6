import type { Alias } from "../alias/alias.ts";
import type { AliasRules } from "../alias/rules.ts";
import type { EmailAddress } from "../values/email-address.ts";
import { Sender } from "../values/sender.ts";
import type { Blocking, Contact } from "./contact.ts";

/** Why mail from an author is not accepted. */
type Unwelcome = "contact_blocked" | "sender_blocked" | "not_written_to" | "not_listed";

/** How mail is blocked, and why. */
export type Blocked = { readonly blocking: Exclude<Blocking, "none">; readonly reason: Unwelcome };

type Acquaintance = Pick<Contact, "blocking" | "addedAt" | "lastSentAt">;

const isWrittenTo = (contact: Acquaintance | null): boolean =>
  contact !== null && (contact.addedAt !== null || contact.lastSentAt !== null);

const isListed = (senders: readonly Sender[], author: EmailAddress | null): boolean => {
  if (author === null) return false;
  const covering = new Set(Sender.keysOf(author));
  return senders.some((sender) => covering.has(Sender.key(sender)));
};

/** Why the rules of an alias refuse mail from this author; null if they accept it. */
const refusedBy = (
  { acceptFrom, senders }: AliasRules,
  author: EmailAddress | null,
  contact: Acquaintance | null,
): Unwelcome | null => {
  switch (acceptFrom) {
    case "everybody":
      return null;
    case "written_to":
      return isWrittenTo(contact) ? null : "not_written_to";
    case "listed":
      return isWrittenTo(contact) || isListed(senders, author) ? null : "not_listed";
  }
};

/**
 * Whether mail from this author to the alias is blocked; null if it is accepted. The owner's decision about the contact comes first, then
 * the senders that the account has blocked, then the rules of the alias.
 *
 * @param author null if the message names no valid author
 * @param contact the contact of the alias that the author is; null if it is none
 * @param isBlocked whether the account has blocked the author, or their domain
 */
export const blockedFor = (
  { rules }: Pick<Alias, "rules">,
  author: EmailAddress | null,
  contact: Acquaintance | null,
  isBlocked: boolean,
): Blocked | null => {
  if (contact !== null && contact.blocking !== "none") {
    return { blocking: contact.blocking, reason: "contact_blocked" };
  }
  if (isBlocked) return { blocking: "reject", reason: "sender_blocked" };
  const reason = refusedBy(rules, author, contact);
  return reason === null ? null : { blocking: "reject", reason };
};
