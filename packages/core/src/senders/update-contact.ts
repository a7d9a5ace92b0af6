import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Aliases } from "../alias/aliases.ts";
import { findAlias } from "../alias/find-alias.ts";
import type {
  AliasDeleted,
  AliasNotFound,
  Conflict,
  ContactNotFound,
  PreconditionFailed,
  Unavailable,
} from "../errors.ts";
import { expectedVersions } from "../operation/expected-versions.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { InvalidRequest } from "../values/parse.ts";
import {
  type AddressedContact,
  addressed,
  type ContactTarget,
  contactTarget,
  findContact,
} from "./addressed-contact.ts";
import { BLOCKINGS, type Blocking, Contact } from "./contact.ts";
import type { Contacts } from "./contacts.ts";

const command = contactTarget.extend({
  expectedVersions,
  blocking: z.enum(BLOCKINGS, `must be one of: ${BLOCKINGS.join(", ")}`).optional(),
});

export type UpdateContactCommand = ContactTarget & {
  /** The versions at which the contact may be changed; any by default. */
  readonly expectedVersions?: readonly number[] | undefined;
  /** What happens to its mail to the alias; unchanged by default. */
  readonly blocking?: Blocking | undefined;
};

type Failure = AliasNotFound | AliasDeleted | ContactNotFound | PreconditionFailed | Unavailable;

export type UpdateContactError = InvalidRequest | Failure;

/**
 * Changes whether mail from a contact is forwarded, refused or discarded.
 *
 * @example
 * ```ts
 * await service.updateContact({ account, aliasId, contactId, blocking: "reject" });
 * ```
 */
export const updateContact = ({
  aliases,
  contacts,
  ...retry
}: RetryPorts & {
  readonly aliases: Pick<Aliases, "findWithRecipients">;
  readonly contacts: Pick<Contacts, "find" | "save">;
}): Operation<UpdateContactCommand, AddressedContact, UpdateContactError> =>
  operation(retry, command, async ({ blocking, expectedVersions, ...target }, timeLeft) => {
    return retryOnConflict<AddressedContact, Failure>(
      retry,
      timeLeft,
      async (): Promise<Result<AddressedContact, Failure | Conflict>> => {
        const alias = await findAlias(aliases, timeLeft, target);
        if (alias.isErr()) return err(alias.error);
        if (alias.value.deletedAt !== null) return err({ code: "alias_deleted" });
        const found = await findContact(contacts, timeLeft, target);
        if (found.isErr()) return err(found.error);
        const before = found.value;
        if (expectedVersions?.includes(before.version) === false) return err({ code: "precondition_failed" });
        const after = blocking === undefined ? before : Contact.block(before, blocking);
        const saved = after === before ? ok() : await contacts.save(before, after, timeLeft());
        return saved.map(() => addressed(alias.value, after));
      },
    );
  });
