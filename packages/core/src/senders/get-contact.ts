import { err, type Result } from "neverthrow";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type { AliasNotFound, ContactNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import {
  type AddressedContact,
  addressed,
  type ContactTarget,
  contactTarget,
  findContact,
} from "./addressed-contact.ts";
import type { Contacts } from "./contacts.ts";

export type GetContactQuery = ContactTarget;

export type GetContactError = InvalidRequest | AliasNotFound | ContactNotFound | Unavailable;

/**
 * Returns one contact of an alias, deleted or not.
 *
 * @example
 * ```ts
 * const contact = await service.getContact({ account, aliasId, contactId });
 * ```
 */
export const getContact = ({
  aliases,
  contacts,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly contacts: Pick<Contacts, "find">;
}): Operation<GetContactQuery, AddressedContact, GetContactError> =>
  operation(
    timing,
    contactTarget,
    async (target, timeLeft): Promise<Result<AddressedContact, Exclude<GetContactError, InvalidRequest>>> => {
      const alias = await findAlias(aliases, timeLeft, target);
      if (alias.isErr()) return err(alias.error);
      const contact = await findContact(contacts, timeLeft, target);
      return contact.map((found) => addressed(alias.value, found));
    },
  );
