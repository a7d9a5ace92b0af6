import { err, ok } from "neverthrow";
import type { AccountLimits } from "../../account/limits.ts";
import type { Alias } from "../../alias/alias.ts";
import type { AliasDomains } from "../../alias/alias-domains.ts";
import { AliasRules } from "../../alias/rules.ts";
import type { Blocking, Contact, Encounter } from "../../contact/contact.ts";
import type { NamedContact } from "../../mail/copy.ts";
import { correspondents } from "../../mail/correspondents.ts";
import type { HeaderField } from "../../mail/header-fields.ts";
import { newContactId } from "../../mail/mail-addresses.ts";
import type { BlockedSenders, Clock, Contacts, PortResult, Secrets } from "../../ports.ts";
import { EmailAddress } from "../../values/email-address.ts";
import { isNonEmpty } from "../../values/non-empty.ts";
import { begin, type Timing } from "../shared/deadline.ts";

/** The contacts that a message to an alias is from or names, and what becomes of mail from its author. */
export type Met = { readonly contacts: readonly NamedContact[]; readonly blocking: Blocking };

/**
 * What becomes of mail to the alias from this author, who may be a contact of it. What its owner has decided about the contact comes
 * first.
 */
const blockingOf = (
  { rules }: Alias,
  author: EmailAddress | null,
  contact: Contact | null,
  isBlocked: boolean,
): Blocking => {
  if (contact !== null && contact.blocking !== "none") return contact.blocking;
  return !isBlocked && AliasRules.admit(rules, author, contact) ? "none" : "reject";
};

/** Makes the author of a message to an alias, and those whom it names, contacts of the alias, as far as it has room for them. */
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
    mail: { readonly fields: readonly HeaderField[]; readonly returnPath: string },
  ): PortResult<Met> => {
    const { author, named } = correspondents(mail, {
      email: alias.email,
      own: new Set(alias.destinations.map(({ email }) => EmailAddress.mailbox(email))),
      isAliasDomain: (email) => aliasDomains.includes(EmailAddress.domain(email)),
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
    if (!isNonEmpty(encounters))
      return ok({ contacts: [], blocking: blockingOf(alias, author, null, false) });
    const timeLeft = begin(timing)();
    const [met, blocked] = await Promise.all([
      contacts.meet(alias, encounters, limits, timeLeft),
      author === null ? ok(false) : blockedSenders.isBlocked(alias.account, author, timeLeft),
    ]);
    // If the alias has been erased meanwhile, the client learns that when it tries again.
    if (met.isErr()) return err(met.error.code === "unavailable" ? met.error : { code: "unavailable" });
    if (blocked.isErr()) return err(blocked.error);
    const [first = null] = met.value;
    const contact = author === null ? null : first;
    return ok({
      contacts: met.value.flatMap((contact) =>
        contact === null ? [] : [{ id: contact.id, email: contact.email }],
      ),
      blocking: blockingOf(alias, author, contact, blocked.value),
    });
  };
