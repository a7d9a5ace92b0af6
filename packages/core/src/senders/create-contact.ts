import { err, ok } from "neverthrow";
import * as z from "zod";
import type { AccountLimits } from "../account/limits.ts";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type {
  AddressNotAllowed,
  AliasDeleted,
  AliasNotFound,
  TooManyContacts,
  Unavailable,
} from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { AliasDomains } from "../values/alias-domains.ts";
import { EmailAddress, emailAddress } from "../values/email-address.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type AddressedContact, addressed } from "./addressed-contact.ts";
import type { Contacts } from "./contacts.ts";
import { newContactId } from "./reverse-address.ts";

const command = z.object({ account: accountId, aliasId, email: emailAddress });

export type CreateContactCommand = {
  readonly account: string;
  readonly aliasId: string;
  /** Whom to write to. */
  readonly email: string;
};

export type CreateContactError =
  | InvalidRequest
  | AddressNotAllowed
  | AliasNotFound
  | AliasDeleted
  | TooManyContacts
  | Unavailable;

/**
 * Makes an address a contact of the alias, so that its owner can write to it first, at `reverseAddress`. If it already is one, returns the
 * existing contact. Idempotent.
 *
 * @example
 * ```ts
 * const contact = await service.createContact({ account, aliasId, email: "support@shop.example" });
 * ```
 */
export const createContact = ({
  aliases,
  contacts,
  secrets,
  aliasDomains,
  limits,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly contacts: Pick<Contacts, "record">;
  readonly secrets: Pick<Secrets, "hash">;
  readonly aliasDomains: AliasDomains;
  readonly limits: Pick<AccountLimits, "contacts">;
}): Operation<CreateContactCommand, AddressedContact, CreateContactError> =>
  operation(timing, command, async ({ email, ...target }, timeLeft) => {
    if (aliasDomains.includes(EmailAddress.domain(email))) {
      return err({ code: "address_not_allowed", reason: "is_an_alias_domain" });
    }
    const found = await findAlias(aliases, timeLeft, target);
    if (found.isErr()) return err(found.error);
    const alias = found.value;
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    const id = newContactId(secrets.hash, alias.email, email);
    const recorded = await contacts.record(
      alias,
      [{ id, email, kind: "added", at: timing.clock.now() }],
      limits,
      timeLeft(),
    );
    if (recorded.isErr()) return err(recorded.error);
    const [contact] = recorded.value;
    return contact
      ? ok(addressed(alias, contact))
      : err({ code: "too_many_contacts", limit: limits.contacts });
  });
