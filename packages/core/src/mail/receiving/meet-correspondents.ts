import { err, ok } from "neverthrow";
import type { AccountLimits } from "../../account/limits.ts";
import type { Alias } from "../../alias/alias.ts";
import { begin, type Timing } from "../../operation/deadline.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PortResult } from "../../ports/port-result.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { BlockedSenders } from "../../senders/blocked-senders.ts";
import type { Encounter } from "../../senders/contact.ts";
import type { Contacts } from "../../senders/contacts.ts";
import { newContactId } from "../../senders/reverse-address.ts";
import { type Blocked, blockedFor } from "../../senders/who-may-write.ts";
import type { AliasDomains } from "../../values/alias-domains.ts";
import { isNonEmpty } from "../../values/non-empty.ts";
import type { NamedContact } from "../copy/copy.ts";
import { validDomain } from "../header/authors.ts";
import type { HeaderField } from "../header/header-fields.ts";
import { correspondents } from "../message/correspondents.ts";
import type { ReceivedMessage } from "../message/message.ts";

/** The contacts that a message to an alias is from or names, and whether mail from its author is blocked; null if not. */
export type Met = { readonly contacts: readonly NamedContact[]; readonly blocked: Blocked | null };

/** Makes the author of a message to an alias, and everybody it names, contacts of the alias, as far as it has room for them. */
export const meetCorrespondents =
  ({
    contacts,
    blockedSenders,
    secrets,
    limits,
    aliasDomains,
    ...timing
  }: Timing & {
    readonly contacts: Pick<Contacts, "meet">;
    readonly blockedSenders: Pick<BlockedSenders, "isBlocked">;
    readonly secrets: Pick<Secrets, "hash">;
    readonly limits: Pick<AccountLimits, "contacts">;
    readonly aliasDomains: AliasDomains;
    readonly clock: Pick<Clock, "now">;
  }) =>
  async (
    alias: Alias,
    mail: Pick<ReceivedMessage, "returnPath" | "authentication"> & {
      readonly fields: readonly HeaderField[];
    },
  ): PortResult<Met> => {
    const { author, named } = correspondents(mail, {
      email: alias.email,
      aliasDomains,
    });
    const at = timing.clock.now();
    const encounters = [...(author === null ? [] : [author]), ...named].map(
      (email): Encounter => ({
        id: newContactId(secrets.hash, alias.email, email),
        email,
        kind: "received",
        at,
      }),
    );
    const { authorDomain } = mail.authentication;
    // Some mailboxes have invalid addresses. Their domains can still be blocked.
    const sender = author ?? (authorDomain === null ? null : validDomain(authorDomain));
    const timeLeft = begin(timing)();
    const [met, blocked] = await Promise.all([
      isNonEmpty(encounters) ? contacts.meet(alias, encounters, limits, timeLeft) : ok([]),
      sender === null ? ok(false) : blockedSenders.isBlocked(alias.account, sender, timeLeft),
    ]);
    // If the alias has been erased in the meantime, the client learns that when it tries again.
    if (met.isErr()) return err(met.error.code === "unavailable" ? met.error : { code: "unavailable" });
    if (blocked.isErr()) return err(blocked.error);
    const [first = null] = met.value;
    const contact = author === null ? null : first;
    return ok({
      contacts: met.value.flatMap((contact) =>
        contact === null ? [] : [{ id: contact.id, email: contact.email }],
      ),
      blocked: blockedFor(alias, author, contact, blocked.value),
    });
  };
