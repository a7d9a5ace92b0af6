import { type Alias, EmailAddress, type NonEmpty, type Secrets } from "@postern/core";
import { hashedCopyId } from "@postern/core/operations";
import { Copy } from "../copy/copy.ts";
import { canBeSentAgain } from "../outcomes/log-entry.ts";

type Options = {
  /** Who the message is from; null if it names nobody. The author, who may have become a recipient, gets no copy. */
  readonly author: EmailAddress | null;
  readonly hash: Secrets["hash"];
  readonly now: number;
};

/** The copies for the mailboxes that the alias forwards to now: the existing ones that are to be queued again, and new ones. */
const copiesFor = (
  copies: NonEmpty<Copy>,
  { destinations }: Pick<Alias, "destinations">,
  { author, hash, now }: Options,
  isQueuedAgain: (copy: Copy) => boolean,
): readonly Copy[] => {
  const [{ message, purpose }] = copies;
  if (purpose.kind !== "forward") return copies.filter(isQueuedAgain);
  const isAuthor = (email: EmailAddress) =>
    author !== null && EmailAddress.mailbox(author) === EmailAddress.mailbox(email);
  const isSentTo = ({ email }: Alias["destinations"][number]) =>
    copies.some(({ to }) => EmailAddress.key(to) === EmailAddress.key(email));
  const answered = purpose.isAnswer ? destinations.filter(isSentTo) : [];
  return (answered.length > 0 ? answered : destinations).flatMap(({ email, recipientId: recipient }) => {
    const key = EmailAddress.key(email);
    const copy = copies.find(({ to }) => EmailAddress.key(to) === key);
    if (copy !== undefined) return isQueuedAgain(copy) ? copy : [];
    if (isAuthor(email)) return [];
    const id = hashedCopyId(hash, message, recipient);
    return Copy.create({ id, message, to: email, purpose: { ...purpose, recipient } }, now);
  });
};

/**
 * The copies to queue when a message for or from an alias is sent again: existing ones and new ones.
 *
 * A forwarded message goes to each mailbox that the alias forwards to now and that it has not been, and is not about to be, sent to,
 * unless its copy was dropped. An answer goes only to those who wrote what it answers, unless all of them were replaced. A recipient that
 * was replaced gets nothing more. A message written to contacts goes again to those that it failed to reach.
 */
export const copiesToResend = (
  copies: NonEmpty<Copy>,
  alias: Pick<Alias, "destinations">,
  options: Options,
): readonly Copy[] => copiesFor(copies, alias, options, canBeSentAgain);

/**
 * The copies that a message to an alias lacks because a recipient was replaced while it was queued: one for each mailbox that the alias
 * forwards to now and that has no copy, or a dropped one, as happens if a recipient is added back.
 */
export const copiesAfterReplacement = (
  copies: NonEmpty<Copy>,
  alias: Pick<Alias, "destinations">,
  options: Options,
): readonly Copy[] => copiesFor(copies, alias, options, ({ state }) => state === "dropped");
