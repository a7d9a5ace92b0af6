import { type AddressNotAllowed, err } from "@postern/core";
import { type CreateAliasError, createAlias } from "@postern/core/operations";
import { ENV } from "../../configuration/names.ts";
import { forOwner } from "../account/for-owner.ts";
import { storeFailed } from "../explain-cause.ts";
import { explainIssues } from "../explain-issues.ts";
import { printLines } from "../print-lines.ts";
import { eligibleRecipients } from "../recipient/find-recipients.ts";
import { RECIPIENTS_CHANGED } from "./find-alias.ts";
import { showAlias } from "./show-alias.ts";

export const create = forOwner(async (account, [address = "", ...names], flags, ports) => {
  const recipientIds = await eligibleRecipients(ports, account, names);
  if (recipientIds.isErr()) return err(recipientIds.error);
  const where = address.includes("@") ? { email: address } : { domain: address };
  const created = await createAlias(ports)({ account, ...where, recipientIds: recipientIds.value });
  if (created.isErr()) return err(explain(created.error));
  return (await printLines([showAlias(flags)(created.value)]))
    .map(() => "Created: the alias accepts mail.")
    .mapErr((reason) => `${reason}. The alias was created.`);
});

const explain = (error: CreateAliasError): string => {
  switch (error.code) {
    case "invalid_request":
      return explainIssues(error, { email: "ADDRESS", domain: "ADDRESS", recipientIds: "RECIPIENT..." });
    case "address_not_allowed":
      return NOT_ALLOWED[error.reason];
    case "address_taken":
      return "ADDRESS is taken, by an alias of any account or by one that was erased: `alias owner` says which. Nothing was changed.";
    case "too_many_aliases":
      return `The account has ${error.limit} aliases, deleted ones included, as many as ${ENV.maxAliases} allows: nothing was changed.`;
    case "recipients_ineligible":
      return RECIPIENTS_CHANGED;
    // Only a creation with an idempotency key ends like this.
    case "idempotency_key_reused":
    case "alias_not_found":
      return "Nothing was changed.";
    case "unavailable":
      return storeFailed(
        error,
        "the alias may have been created, as `alias list` shows. If not, run the command again",
      );
  }
};

const NOT_ALLOWED = {
  not_an_alias_domain: `ADDRESS is not on a domain of ${ENV.aliasDomains}: nothing was changed.`,
  reserved:
    "ADDRESS has a name that is reserved, because mail to it is meant for the operator of the domain: choose another one. Nothing was changed.",
  is_an_alias_domain: `A recipient is on a domain of ${ENV.aliasDomains}: nothing was changed.`,
} as const satisfies Record<AddressNotAllowed["reason"], string>;
