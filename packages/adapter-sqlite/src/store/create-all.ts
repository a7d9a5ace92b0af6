import { err, NO_LIMITS, ok } from "@postern/core";
import type { CreateAll } from "@postern/core/store";
import { createAlias } from "./aliases.ts";
import { createContact } from "./contacts.ts";
import type { Database } from "./database.ts";
import { createRecipient } from "./recipients.ts";
import { retireAddress } from "./retired-addresses.ts";

export const createAll =
  (database: Database): CreateAll =>
  ({ recipients, aliases, contacts, retiredAddresses }) =>
    database.transact(null, undefined, () =>
      recipients.every((recipient) => createRecipient(database, recipient, NO_LIMITS).isOk()) &&
      aliases.every((alias) => createAlias(database, alias, NO_LIMITS).isOk()) &&
      contacts.every((contact) => createContact(database, contact).isOk()) &&
      retiredAddresses.every((email) => retireAddress(database, email).isOk())
        ? ok()
        : err({ code: "conflict" }),
    );
