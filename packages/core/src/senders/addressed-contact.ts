import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Alias } from "../alias/alias.ts";
import type { ContactNotFound, Unavailable } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { contactId } from "../values/base32-ids.ts";
import { EmailAddress } from "../values/email-address.ts";
import { accountId, aliasId } from "../values/identifiers.ts";
import type { Contact } from "./contact.ts";
import type { Contacts } from "./contacts.ts";
import { contactAddress } from "./reverse-address.ts";

/** A contact with the address that the owner of the alias writes to in order to reach it. */
export type AddressedContact = Contact & { readonly reverseAddress: EmailAddress };

export const addressed = (alias: Alias, contact: Contact): AddressedContact => ({
  ...contact,
  reverseAddress: contactAddress(contact.id, EmailAddress.domain(alias.email)),
});

/** Names the contact that a command or query is about. */
export type ContactTarget = {
  readonly account: string;
  readonly aliasId: string;
  readonly contactId: string;
};

export const contactTarget = z.object({ account: accountId, aliasId, contactId });

/** The contact, which must belong to this alias. */
export const findContact = async (
  contacts: Pick<Contacts, "find">,
  timeLeft: TimeLeft,
  { account, aliasId, contactId }: z.output<typeof contactTarget>,
): Promise<Result<Contact, ContactNotFound | Unavailable>> => {
  const found = await contacts.find(contactId, timeLeft());
  if (found.isErr()) return err(found.error);
  const contact = found.value;
  return contact?.account === account && contact.alias === aliasId
    ? ok(contact)
    : err({ code: "contact_not_found" });
};
