import { err, ok } from "neverthrow";
import type { AccountLimits } from "../../account/limits.ts";
import type { Alias } from "../../alias/alias.ts";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import { AliasRules } from "../../alias/rules.ts";
import type { Blocking, Contact, Encounter } from "../../contact/contact.ts";
import { validDomain } from "../../mail/authors.ts";
import type { NamedContact } from "../../mail/copy.ts";
import { correspondents } from "../../mail/correspondents.ts";
import type { HeaderField } from "../../mail/header-fields.ts";
import { newContactId } from "../../mail/mail-addresses.ts";
import type { ReceivedMessage } from "../../mail/message.ts";
import type { BlockedReason } from "../../message-log/logged-message.ts";
import type { BlockedSenders, Clock, Contacts, PortResult, Secrets } from "../../ports.ts";
import type { EmailAddress } from "../../values/email-address.ts";
import { isNonEmpty } from "../../values/non-empty.ts";
import { begin, type Timing } from "../shared/deadline.ts";

/** How mail is blocked, and why. */
export type Blocked = { readonly blocking: Exclude<Blocking, "none">; readonly reason: BlockedReason };

/** The contacts that a message to an alias is from or names, and whether mail from its author is blocked; null if not. */
export type Met = { readonly contacts: readonly NamedContact[]; readonly blocked: Blocked | null };

/**
 * What happens to mail to the alias from this author, who may be one of its contacts. The owner's decision about the contact comes first.
 */
const blockedFor = (
  { rules }: Alias,
  author: EmailAddress | null,
  contact: Contact | null,
  isBlocked: boolean,
): Blocked | null => {
  if (contact !== null && contact.blocking !== "none") {
    return { blocking: contact.blocking, reason: "contact_blocked" };
  }
  if (isBlocked) return { blocking: "reject", reason: "sender_blocked" };
  if (AliasRules.admit(rules, author, contact)) return null;
  return { blocking: "reject", reason: rules.acceptFrom === "listed" ? "not_listed" : "not_written_to" };
};

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
