import { err } from "neverthrow";
import * as z from "zod";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type { AliasNotFound, Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import { type Page, type PageQuery, pageAfter } from "../values/page.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type AddressedContact, addressed } from "./addressed-contact.ts";
import { type ContactPosition, contactPositionSchema } from "./contact-position.ts";
import type { Contacts } from "./contacts.ts";

const query = z.object({ account: accountId, aliasId, ...pageAfter(contactPositionSchema) });

export type ListContactsQuery = PageQuery & {
  readonly account: string;
  readonly aliasId: string;
};

export type ListContactsError = InvalidRequest | AliasNotFound | Unavailable;

/**
 * Returns a page of the contacts of an alias, deleted or not, newest first.
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
  readonly contacts: Pick<Contacts, "list">;
}): Operation<ListContactsQuery, Page<AddressedContact, ContactPosition>, ListContactsError> =>
  operation(timing, query, async ({ limit, after, ...target }, timeLeft) => {
    const found = await findAlias(aliases, timeLeft, target);
    if (found.isErr()) return err(found.error);
    const alias = found.value;
    const page = await contacts.list(alias, { limit, after }, timeLeft());
    return page.map(({ items, next }) => ({ items: items.map((each) => addressed(alias, each)), next }));
  });
