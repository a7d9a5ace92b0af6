import { ok } from "neverthrow";
import type { AliasKey } from "../alias/aliases.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { Contacts } from "../senders/contacts.ts";
import { EmailAddress } from "../values/email-address.ts";
import type { ContactId } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import type { LoggedMessage } from "./logged-message.ts";

/** A logged message, attributed to a contact of its alias. */
export type AttributedMessage = LoggedMessage & {
  /** The contact that has the address in `contact` at the moment; null if there is none. */
  readonly contactId: ContactId | null;
};

/** Undefined if the store has no contacts. */
export type KnownContacts = Pick<Contacts, "findByEmails"> | undefined;

/**
 * Returns what attributes each of these messages of the alias, at most a page, to a contact. Reads the contacts once, for all of them: the
 * log does not say who they are, because a contact can be evicted after the message was logged, or be recorded later.
 */
export const attribution = async (
  contacts: KnownContacts,
  timeLeft: TimeLeft,
  alias: AliasKey,
  messages: readonly LoggedMessage[],
): PortResult<(message: LoggedMessage) => AttributedMessage> => {
  const authors = [
    ...new Set(messages.flatMap(({ contact }) => (contact === null ? [] : EmailAddress.key(contact)))),
  ];
  const found =
    contacts !== undefined && isNonEmpty(authors)
      ? await contacts.findByEmails(alias, authors, timeLeft())
      : ok([]);
  return found.map((known) => {
    const ids = new Map(known.map(({ email, id }) => [EmailAddress.key(email), id]));
    const idOf = (author: EmailAddress): ContactId | null => ids.get(EmailAddress.key(author)) ?? null;
    return (message) => ({ ...message, contactId: message.contact && idOf(message.contact) });
  });
};
