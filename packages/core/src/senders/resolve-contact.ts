import { err, ok, type Result } from "neverthrow";
import type { Suspensions } from "../account/suspensions.ts";
import type { Alias } from "../alias/alias.ts";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import { requireAccepting } from "../alias/require-accepting.ts";
import type {
  AliasDeleted,
  AliasInactive,
  AliasNotFound,
  AliasSuspended,
  ContactNotFound,
  Unavailable,
} from "../errors.ts";
import { begin, type Timing } from "../operation/deadline.ts";
import { EmailAddress } from "../values/email-address.ts";
import type { Contact } from "./contact.ts";
import type { Contacts } from "./contacts.ts";
import { contactAddress, contactOfReverseAddress } from "./reverse-address.ts";

export type ResolvedContact = { readonly alias: Alias; readonly contact: Contact };

/**
 * Finds who mail to a reverse address goes to, and from which alias, or why it is not accepted. It is not accepted if the
 * alias itself does not accept mail, because nobody could answer it.
 */
export const resolveContact =
  ({
    aliases,
    contacts,
    suspensions,
    ...timing
  }: Timing & {
    readonly aliases: Pick<Aliases, "findWithRecipients">;
    readonly contacts: Pick<Contacts, "find">;
    readonly suspensions: Pick<Suspensions, "find">;
  }) =>
  async (
    address: EmailAddress,
  ): Promise<
    Result<
      ResolvedContact,
      ContactNotFound | AliasNotFound | AliasDeleted | AliasInactive | AliasSuspended | Unavailable
    >
  > => {
    const timeLeft = begin(timing);
    const id = contactOfReverseAddress(address);
    const found = id === null ? ok(null) : await contacts.find(id, timeLeft());
    if (found.isErr()) return err(found.error);
    const contact = found.value;
    if (contact === null) return err({ code: "contact_not_found" });
    const alias = await findAlias(aliases, timeLeft, { account: contact.account, aliasId: contact.alias });
    if (alias.isErr()) return err(alias.error);
    const reverse = contactAddress(contact.id, EmailAddress.domain(alias.value.email));
    // On another alias domain, it stands for nobody.
    if (EmailAddress.key(reverse) !== EmailAddress.key(address)) return err({ code: "contact_not_found" });
    const accepting = await requireAccepting({ suspensions, clock: timing.clock }, timeLeft, alias.value);
    return accepting.map(() => ({ alias: alias.value, contact }));
  };
