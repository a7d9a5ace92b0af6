import { err } from "neverthrow";
import * as z from "zod";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { emailAddress } from "../values/email-address.ts";
import { accountId, aliasId, compareIds } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type AddressedContact, addressed } from "./addressed-contact.ts";
import { Contact } from "./contact.ts";
import { type ContactPosition, contactPositionSchema } from "./contact-position.ts";
import type { Contacts } from "./contacts.ts";

const query = z.object({
  account: accountId,
  aliasId,
  email: emailAddress.optional(),
  ...pageAfter(contactPositionSchema),
});

export type ListContactsQuery = PageQuery & {
  readonly account: string;
  readonly aliasId: string;
  /** Only the contact with this address (`EmailAddress.key`); all of them by default. */
  readonly email?: string | undefined;
};

/** The page after this position, if these are all contacts that there are. */
const onlyPage =
  (after: ContactPosition | null) =>
  (all: readonly Contact[]): Page<Contact, ContactPosition> => ({
    items: all.filter((each) => after === null || compareIds(Contact.position(each), after) < 0),
    next: null,
  });

export type ListContactsError = InvalidRequest | AliasNotFound | Unavailable;

/**
 * Returns a page of the contacts of an alias, deleted or not, newest first, or the one with an address. Does not make it a contact that was
 * written to, as `createContact` does.
 *
 * @example
 * ```ts
 * const page = await service.listContacts({ account, aliasId, limit: 20 });
 * ```
 */
export const listContacts = ({
  aliases,
  contacts,
  ...timing
}: Timing & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly contacts: Pick<Contacts, "list" | "findByEmails">;
}): Operation<ListContactsQuery, Page<AddressedContact, ContactPosition>, ListContactsError> =>
  operation(timing, query, async ({ limit, after, email, ...target }, timeLeft) => {
    const found = await findAlias(aliases, timeLeft, target);
    if (found.isErr()) return err(found.error);
    const alias = found.value;
    const page =
      email === undefined
        ? await contacts.list(alias, { limit, after }, timeLeft())
        : (await contacts.findByEmails(alias, [email], timeLeft())).map(onlyPage(after));
    return page.map(({ items, next }) => ({ items: items.map((each) => addressed(alias, each)), next }));
  });
