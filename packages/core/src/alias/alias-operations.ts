import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { createAlias } from "./create-alias.ts";
import { createAliasForWebsite } from "./create-alias-for-website.ts";
import { deleteAlias } from "./delete-alias.ts";
import { eraseAlias } from "./erase-alias.ts";
import { getAlias } from "./get-alias.ts";
import { getAliasRecipients } from "./get-alias-recipients.ts";
import { listAliases } from "./list-aliases.ts";
import { reassignRecipient } from "./reassign-recipient.ts";
import { recordMailOutcome } from "./record-mail-outcome.ts";
import { replaceRecipients } from "./replace-recipients.ts";
import { resolveAlias } from "./resolve-alias.ts";
import { restoreAlias } from "./restore-alias.ts";
import { updateAlias } from "./update-alias.ts";
import { updateAliasRules } from "./update-alias-rules.ts";
import { updateAliasWebsite } from "./update-alias-website.ts";

/** What every service does with aliases. */
export type AliasOperations = ReturnType<typeof aliasOperations>;

export const aliasOperations = (
  ports: PortsOf<
    | typeof replaceRecipients
    | typeof createAlias
    | typeof createAliasForWebsite
    | typeof getAlias
    | typeof getAliasRecipients
    | typeof listAliases
    | typeof updateAlias
    | typeof updateAliasRules
    | typeof updateAliasWebsite
    | typeof deleteAlias
    | typeof restoreAlias
    | typeof reassignRecipient
    | typeof resolveAlias
    | typeof recordMailOutcome
    | typeof eraseAlias
  >,
  own: Own,
) => ({
  replaceRecipients: own(replaceRecipients(ports)),
  createAlias: own(createAlias(ports)),
  createAliasForWebsite: own(createAliasForWebsite(ports)),
  getAlias: own(getAlias(ports)),
  getAliasRecipients: own(getAliasRecipients(ports)),
  listAliases: own(listAliases(ports)),
  updateAlias: own(updateAlias(ports)),
  updateAliasRules: own(updateAliasRules(ports)),
  updateAliasWebsite: own(updateAliasWebsite(ports)),
  deleteAlias: own(deleteAlias(ports)),
  restoreAlias: own(restoreAlias(ports)),
  reassignRecipient: own(reassignRecipient(ports)),
  resolveAlias: resolveAlias(ports),
  recordMailOutcome: recordMailOutcome(ports),
  eraseAlias: eraseAlias(ports),
});
