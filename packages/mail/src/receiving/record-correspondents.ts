import { type AliasState, newContactId, type PortResult } from "@postern/core";
import { type Blocked, begin, blockedFor } from "@postern/core/operations";
import type { Correspondent } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { AliasAddress, NamedContact } from "../copy/purpose.ts";
import { addressOf, validDomain } from "../header/authors.ts";
import type { HeaderField } from "../header/header-fields.ts";
import { correspondents, replyTo } from "../message/correspondents.ts";
import type { ReceivedMessage } from "../message/message.ts";
import { ALIAS_STOPPED } from "./alias-stopped.ts";

/** What is known about a message to an alias once its author has been met. */
export type RecordedCorrespondents = {
  /** The alias as it is now. */
  readonly alias: AliasState;
  /** The contacts that the message is from or names. */
  readonly contacts: readonly NamedContact[];
  /** Why the alias accepts no mail from its author; null if it does. */
  readonly blocked: Blocked | null;
};

/**
 * Makes the author of a message to an alias, and everybody it names, contacts of the alias, as far as it has room for them. Fails with
 * `unavailable` if the alias was deleted or erased.
 */
export const recordCorrespondents =
  (context: MailContext) =>
  async (
    address: AliasAddress,
    mail: Pick<ReceivedMessage, "returnPath" | "authentication"> & {
      readonly fields: readonly HeaderField[];
    },
  ): PortResult<RecordedCorrespondents> => {
    const { contacts, secrets, limits, aliasDomains, clock } = context;
    const { author, named } = correspondents(mail, { email: address.email, aliasDomains });
    // There has to be room for whom an answer goes to, as for the author.
    const [answerTo] = replyTo(mail.fields).map(addressOf);
    const at = clock.now();
    const people = [...(author === null ? [] : [author]), ...named].map(
      (email): Correspondent => ({
        id: newContactId(secrets.hash, address.email, email),
        email,
        kind: email === author || email === answerTo ? "received" : "named",
        at,
      }),
    );
    const { authorDomain } = mail.authentication;
    // Some mailboxes have invalid addresses. Their domains can still be blocked.
    const sender = author ?? (authorDomain === null ? null : validDomain(authorDomain));
    const meeting = { author: sender, correspondents: people };
    const met = await contacts.meet(address, meeting, limits, begin(context)());
    if (met.isErr()) return err(met.error.code === "unavailable" ? met.error : ALIAS_STOPPED);
    const { alias, contacts: recorded, isBlocked } = met.value;
    const [first = null] = recorded;
    return ok({
      alias,
      contacts: recorded.flatMap((contact) =>
        contact === null ? [] : [{ id: contact.id, email: contact.email }],
      ),
      blocked: blockedFor(alias, author, author === null ? null : first, isBlocked),
    });
  };
