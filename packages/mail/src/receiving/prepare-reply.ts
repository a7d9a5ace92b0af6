import {
  type AliasState,
  type ContactId,
  contactAddress,
  contactOfReverseAddress,
  EmailAddress,
  isNonEmpty,
  type NonEmpty,
  newCopyId,
  type PortResult,
  type TimeLeft,
} from "@postern/core";
import { begin } from "@postern/core/operations";
import { type Correspondent, MAX_CORRESPONDENTS } from "@postern/core/store";
import { err, ok, Result } from "neverthrow";
import type { MailContext } from "../context.ts";
import { Copy } from "../copy/copy.ts";
import { aliasAddress, type NamedContact } from "../copy/purpose.ts";
import { parseAddressList } from "../header/address-list.ts";
import { addressOf } from "../header/authors.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { MAX_NAMED } from "../message/correspondents.ts";
import { type MailTransaction, storedMessageId } from "../message/mail-transaction.ts";
import type { Alignment, OwnMessage, ReceivedMessage } from "../message/message.ts";
import { ownMailboxes } from "../rewriting/own-mailboxes.ts";
import { replyHeader } from "../rewriting/reply-header.ts";
import type { Mailing } from "../spool.ts";
import { type ReplyRefusal, replyAuthor } from "./reply-admission.ts";

/** A message that a recipient of an alias wrote to its contacts, without the body. */
export type PreparedReply = {
  /** The recipient of the alias who wrote it. */
  readonly author: EmailAddress;
  readonly message: Omit<OwnMessage, "size">;
  readonly copies: Mailing["copies"];
};

/** The contacts whose reverse addresses a message names. */
const namedIds = (fields: readonly HeaderField[]): readonly ContactId[] => {
  const ids = ["to", "cc"]
    .flatMap((name) => HeaderFields.values(fields, name))
    .flatMap(parseAddressList)
    .flatMap((mailbox) => {
      const address = addressOf(mailbox);
      return (address && contactOfReverseAddress(address)) ?? [];
    });
  return [...new Set(ids)].slice(0, MAX_NAMED);
};

/**
 * What a message to contacts of an alias becomes, if it is from one of the alias's current recipients. Notes that the contacts were written
 * to.
 */
export const prepareReply = (context: MailContext) => {
  const { contacts, secrets, limits, clock } = context;

  /** The contacts that the message goes to and, for its header, the other contacts of the alias that it names. */
  const findNamed = async (
    alias: AliasState,
    to: readonly NamedContact[],
    fields: readonly HeaderField[],
    timeLeft: TimeLeft,
  ): PortResult<readonly NamedContact[]> => {
    const others = namedIds(fields).filter((id) => to.every((contact) => contact.id !== id));
    const found = Result.combine(await Promise.all(others.map((id) => contacts.find(id, timeLeft()))));
    return found.map((all) => [
      ...to,
      ...all
        .filter((other) => other !== null)
        .filter((other) => other.account === alias.account && other.alias === alias.id),
    ]);
  };

  const noteSent = async (
    alias: AliasState,
    to: readonly NamedContact[],
    at: number,
    timeLeft: TimeLeft,
  ): PortResult<void> => {
    const correspondents = to.map(({ id, email }): Correspondent => ({ id, email, kind: "sent", at }));
    for (let start = 0; start < correspondents.length; start += MAX_CORRESPONDENTS) {
      const some = correspondents.slice(start, start + MAX_CORRESPONDENTS);
      const recorded = isNonEmpty(some) ? await contacts.record(alias, some, limits, timeLeft()) : ok();
      // An owner who has erased the alias in the meantime can still write from it this time.
      if (recorded.isErr() && recorded.error.code === "unavailable") return err(recorded.error);
    }
    return ok();
  };

  return async (
    alias: AliasState,
    addressed: NonEmpty<NamedContact>,
    mail: Pick<ReceivedMessage, "returnPath" | "header" | "authentication"> & {
      readonly fields: readonly HeaderField[];
      readonly alignment: Alignment;
      readonly transaction: MailTransaction;
    },
  ): PortResult<PreparedReply, ReplyRefusal> => {
    const recipients = alias.destinations.map(({ email }) => email);
    const author = replyAuthor(mail.fields, mail, recipients);
    if (author.isErr()) return err(author.error);
    const ownMailbox = EmailAddress.mailbox(author.value);
    // An author who replies to all can be among them, and needs no copy.
    const others = addressed.filter(({ email }) => EmailAddress.mailbox(email) !== ownMailbox);
    const to = isNonEmpty(others) ? others : addressed;

    const timeLeft = begin(context);
    const now = clock.now();
    const named = await findNamed(alias, addressed, mail.fields, timeLeft);
    if (named.isErr()) return err(named.error);
    const noted = await noteSent(alias, to, now, timeLeft);
    if (noted.isErr()) return err(noted.error);

    const id = storedMessageId(mail.transaction, ["reply", alias.account, alias.id], secrets);
    const domain = EmailAddress.domain(alias.email);
    const header = replyHeader(
      { id, createdAt: now, header: mail.header },
      {
        alias: alias.email,
        own: ownMailboxes(recipients),
        contacts: new Map(
          named.value.map((contact) => [EmailAddress.key(contactAddress(contact.id, domain)), contact.email]),
        ),
      },
      secrets,
    );
    const purpose = {
      kind: "reply",
      alias: aliasAddress(alias),
      author: author.value,
      unsubscribesFrom: null,
    } as const;
    const copy = (contact: NamedContact): Copy =>
      Copy.create({ id: newCopyId(secrets.random), message: id, to: contact.email, purpose }, now);
    const [first, ...rest] = to;
    return ok({
      author: author.value,
      message: { origin: "own", id, createdAt: now, header },
      copies: [copy(first), ...rest.map(copy)],
    });
  };
};
