import type { Blocking } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expectEqual, expectMatch, expectOutcome } from "../../expect.ts";
import { type Command, command } from "./command.ts";
import { ALIAS_DOMAIN, accountOf, at, idOf, isReached, UNKNOWN } from "./model.ts";

/** Adds a contact to an alias, as its owner or from another account. Address 3 is on the alias domain. */
export const addContact = (foreign: boolean, n: number, address: number): Command =>
  command(
    `${foreign ? "a stranger" : "its owner"} adds contact ${address} to alias ${n}`,
    async (model, { service, ports }) => {
      const alias = at(model.aliases, n);
      const account =
        model.accounts.find((each) => (each === alias?.account) !== foreign) ?? accountOf(model, 0);
      const email = address === 3 ? `contact@${ALIAS_DOMAIN}` : `contact-${address}@sender.example`;
      const added = await service.createContact({ account, aliasId: alias?.id ?? UNKNOWN, email });
      if (address === 3) {
        expectMatch(added, { error: { code: "address_not_allowed", reason: "is_an_alias_domain" } });
        return;
      }
      if (alias?.account !== account) {
        expectMatch(added, { error: { code: "alias_not_found" } });
        return;
      }
      const known = alias.contacts.find((contact) => contact.email === email);
      expectOutcome(added, [
        alias.deletedAt !== null && "alias_deleted",
        alias.deletedAt === null &&
          known === undefined &&
          isReached(model.limits.contacts, alias.contacts.length) &&
          "too_many_contacts",
      ]);
      if (added.isErr()) return;
      const { reverseAddress, blocking, createdAt } = added.value;
      expectEqual(reverseAddress.endsWith(`@${ALIAS_DOMAIN}`), true);
      const others = model.aliases.flatMap(({ contacts }) => contacts.filter((each) => each !== known));
      expectEqual(
        others.filter((contact) => contact.reverseAddress === reverseAddress),
        [],
      );
      if (known !== undefined) expectEqual({ email, blocking, createdAt, reverseAddress }, known);
      else {
        expectEqual({ blocking, createdAt }, { blocking: "none", createdAt: ports.clock.now() });
        alias.contacts.push({ email, blocking, createdAt, reverseAddress });
      }
    },
  );

/** Chooses among the aliases that have contacts. */
export const block = (n: number, m: number, blocking: Blocking): Command =>
  command(`set the blocking of contact ${m} of alias ${n} to ${blocking}`, async (model, { service }) => {
    const withContacts = model.aliases.filter(({ contacts }) => contacts.length > 0);
    const alias = at(withContacts, n);
    const contact = at(alias?.contacts ?? [], m);
    if (alias === undefined || contact === undefined) return;
    const { account, id: aliasId } = alias;
    const contactId = idOf(contact);
    const updated = await service.updateContact({ account, aliasId, contactId, blocking });
    if (alias.deletedAt !== null) {
      expectMatch(updated, { error: { code: "alias_deleted" } });
      return;
    }
    contact.blocking = blocking;
    expectMatch(updated, { value: contact });
    const stored = valueOf(await service.getContact({ account, aliasId, contactId }));
    expectMatch(stored, contact);
    const { email } = contact;
    expectEqual(valueOf(await service.listContacts({ account, aliasId, email })).items, [stored]);
    const other = model.aliases.find(({ id }) => id !== aliasId);
    if (other === undefined) return;
    expectMatch(await service.getContact({ account: other.account, aliasId: other.id, contactId }), {
      error: { code: "contact_not_found" },
    });
  });
