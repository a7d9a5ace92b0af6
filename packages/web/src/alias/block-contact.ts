import type { Schemas } from "@postern/client";
import { api, reads } from "../api/api.ts";

/** Sets what happens to the mail of a contact. Lists have no `etag`, so the contact is read first. */
export const blockContact = async (
  aliasId: string,
  contactId: string,
  blocking: Schemas["Blocking"],
): Promise<Schemas["Contact"]> => {
  const { etag } = await api.getContact(aliasId, contactId);
  const { data } = await api.updateContact(aliasId, contactId, { blocking }, { ifMatch: etag });
  await reads.invalidateQueries({ queryKey: ["contacts", aliasId] });
  return data;
};
