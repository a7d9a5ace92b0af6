import type { Alias } from "../alias/alias.ts";
import { EmailAddress } from "../values/email-address.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import { Copy, type CopyId } from "./copy.ts";
import { canBeSentAgain } from "./log-entry.ts";

/**
 * The copies with which a message is sent again, of those that it has for an alias, or from it, and new ones.
 *
 * A message that was forwarded goes to the mailboxes that the alias forwards to now: to each that it was not sent to, and is not about to
 * be. A recipient that was replaced gets nothing any more, and its author, who may have become a recipient, gets no copy. What was written
 * to contacts goes again to those whom it failed to reach.
 *
 * @param author whom the message is from; null if it names nobody
 */
export const copiesToResend = (
  copies: NonEmpty<Copy>,
  { destinations }: Pick<Alias, "destinations">,
  {
    author,
    newId,
    now,
  }: { readonly author: EmailAddress | null; readonly newId: () => CopyId; readonly now: number },
): readonly Copy[] => {
  const [{ message, purpose }] = copies;
  if (purpose.kind !== "forward") return copies.filter(canBeSentAgain);
  const isAuthor = (email: EmailAddress) =>
    author !== null && EmailAddress.mailbox(author) === EmailAddress.mailbox(email);
  return destinations.flatMap(({ email, recipientId }) => {
    const copy = copies.find(({ to }) => to === email);
    if (copy !== undefined) return canBeSentAgain(copy) ? copy : [];
    if (isAuthor(email)) return [];
    const identity = { id: newId(), message, to: email, purpose: { ...purpose, recipient: recipientId } };
    return Copy.create(identity, now);
  });
};
