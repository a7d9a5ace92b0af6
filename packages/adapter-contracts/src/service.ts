import {
  AliasDomains,
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  listAliases,
  listRecipients,
  reassignRecipient,
  recordMailOutcome,
  replaceRecipients,
  resendVerification,
  restoreAlias,
  type Store,
  updateAlias,
  updateRecipient,
  verifyRecipient,
} from "@postern/core";
import type { TestPorts } from "@postern/core/testing";

export const ALIAS_DOMAIN = "alias.example";

/** Everything that can be done with a store, wired as a server would. */
export const service = (store: Pick<Store, "aliases" | "recipients">, ports: TestPorts) => {
  const all = { ...store, ...ports, aliasDomains: AliasDomains.parse([ALIAS_DOMAIN]) };
  return {
    addRecipient: addRecipient(all),
    verifyRecipient: verifyRecipient(all),
    resendVerification: resendVerification(all),
    listRecipients: listRecipients(all),
    updateRecipient: updateRecipient(all),
    deleteRecipient: deleteRecipient(all),
    reassignRecipient: reassignRecipient(all),
    createAlias: createAlias(all),
    listAliases: listAliases(all),
    replaceRecipients: replaceRecipients(all),
    updateAlias: updateAlias(all),
    deleteAlias: deleteAlias(all),
    restoreAlias: restoreAlias(all),
    recordMailOutcome: recordMailOutcome(all),
  };
};

export type Service = ReturnType<typeof service>;
