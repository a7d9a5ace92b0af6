import { err } from "@postern/core";
import { type UpdateAliasError, updateAlias } from "@postern/core/operations";
import { forOwner } from "../account/for-owner.ts";
import { storeFailed } from "../explain-cause.ts";
import { explainIssues } from "../explain-issues.ts";
import { printLines } from "../print-lines.ts";
import { CHANGED_MEANWHILE, DELETED, findAlias } from "./find-alias.ts";
import { showAlias } from "./show-alias.ts";

const switching = (active: boolean, text: string) =>
  forOwner(async (account, [name = ""], flags, ports) => {
    const found = await findAlias(ports, account, name);
    if (found.isErr()) return err(found.error);
    const switched = await updateAlias(ports)({ account, aliasId: found.value.id, active });
    if (switched.isErr()) return err(explain(switched.error));
    return (await printLines([showAlias(flags)(switched.value)]))
      .map(() => text)
      .mapErr((reason) => `${reason}. ${text}`);
  });

export const on = switching(true, "The alias is on: it accepts mail.");

export const off = switching(false, "The alias is off: it accepts no mail until it is switched on again.");

const explain = (error: UpdateAliasError): string => {
  switch (error.code) {
    case "invalid_request":
      return explainIssues(error, {});
    case "alias_not_found":
    case "precondition_failed":
      return CHANGED_MEANWHILE;
    case "alias_deleted":
      return DELETED;
    case "unavailable":
      return storeFailed(error, "run the command again");
  }
};
