import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { createContact } from "./create-contact.ts";
import { getContact } from "./get-contact.ts";
import { listContacts } from "./list-contacts.ts";
import { updateContact } from "./update-contact.ts";

/** What a service does if its store has `contacts`. */
export type ContactOperations = ReturnType<typeof contactOperations>;

export const contactOperations = (
  ports: PortsOf<typeof createContact | typeof getContact | typeof listContacts | typeof updateContact>,
  own: Own,
) => ({
  createContact: own(createContact(ports)),
  getContact: own(getContact(ports)),
  listContacts: own(listContacts(ports)),
  updateContact: own(updateContact(ports)),
});
