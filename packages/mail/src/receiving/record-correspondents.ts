import { type AliasState, isNonEmpty, newContactId, type PortResult } from "@postern/core";
import { type Blocked, begin, blockedFor } from "@postern/core/operations";
import type { Correspondent } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { NamedContact } from "../copy/purpose.ts";
import { addressOf, validDomain } from "../header/authors.ts";
import type { HeaderField } from "../header/header-fields.ts";
import { correspondents, replyTo } from "../message/correspondents.ts";
import type { ReceivedMessage } from "../message/message.ts";

/** The contacts that a message to an alias is from or names, and whether mail from its author is blocked; null if not. */
export type RecordedCorrespondents = {
  readonly contacts: readonly NamedContact[];
  readonly blocked: Blocked | null;
};

/** Makes the author of a message to an alias, and everybody it names, contacts of the alias, as far as it has room for them. */
export const recordCorrespondents =
  (context: MailContext) =>
  async (
    alias: AliasState,
    mail: Pick<ReceivedMessage, "returnPath" | "authentication"> & {
      readonly fields: readonly HeaderField[];
    },
  ): PortResult<RecordedCorrespondents> => {
    const { contacts, blockedSenders, secrets, limits, aliasDomains, clock } = context;
    const { author, named } = correspondents(mail, {
      email: alias.email,
      aliasDomains,
    });
    // There has to be room for whom an answer goes to, as for the author.
    const [answerTo] = replyTo(mail.fields).map(addressOf);
    const at = clock.now();
    const people = [...(author === null ? [] : [author]), ...named].map(
      (email): Correspondent => ({
        id: newContactId(secrets.hash, alias.email, email),
        email,
        kind: email === author || email === answerTo ? "received" : "named",
        at,
      }),
    );
    const { authorDomain } = mail.authentication;
    // Some mailboxes have invalid addresses. Their domains can still be blocked.
    const sender = author ?? (authorDomain === null ? null : validDomain(authorDomain));
    const timeLeft = begin(context)();
    const [recorded, blocked] = await Promise.all([
      isNonEmpty(people) ? contacts.record(alias, people, limits, timeLeft) : ok([]),
      sender === null ? ok(false) : blockedSenders.isBlocked(alias.account, sender, timeLeft),
    ]);
    // If the alias has been deleted or erased in the meantime, the client learns that when it tries again.
    if (recorded.isErr())
      return err(recorded.error.code === "unavailable" ? recorded.error : { code: "unavailable" });
    if (blocked.isErr()) return err(blocked.error);
    const [first = null] = recorded.value;
    const contact = author === null ? null : first;
    return ok({
      contacts: recorded.value.flatMap((contact) =>
        contact === null ? [] : [{ id: contact.id, email: contact.email }],
      ),
      blocked: blockedFor(alias, author, contact, blocked.value),
    });
  };
