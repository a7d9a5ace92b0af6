import { type Alias, err } from "@postern/core";
import { type ReplaceRecipientsError, replaceRecipients } from "@postern/core/operations";
import { forOwner } from "../account/for-owner.ts";
import { storeFailed } from "../explain-cause.ts";
import { explainIssues } from "../explain-issues.ts";
import { printLines } from "../print-lines.ts";
import { eligibleRecipients } from "../recipient/find-recipients.ts";
import { CHANGED_MEANWHILE, DELETED, findAlias, RECIPIENTS_CHANGED } from "./find-alias.ts";
import { addressesOf, recipientsOf } from "./show-alias.ts";

export const to = forOwner(async (account, [name = "", ...names], flags, ports) => {
  const found = await findAlias(ports, account, name);
  if (found.isErr()) return err(found.error);
  const before = found.value;
  const recipientIds = await eligibleRecipients(ports, account, names);
  if (recipientIds.isErr()) return err(recipientIds.error);
  const replaced = await replaceRecipients(ports)({
    account,
    aliasId: before.id,
    recipientIds: recipientIds.value,
    // So that what is shown as before was what was replaced.
    expectedVersions: [before.version],
  });
  if (replaced.isErr()) return err(explain(replaced.error));
  const after = replaced.value;
  const text =
    after.version === before.version
      ? "The alias already had exactly these recipients: nothing was changed."
      : "Replaced: the alias forwards to exactly these recipients.";
  const lines = flags.has("json") ? [jsonOf(before, after)] : linesOf(before, after);
  return (await printLines(lines)).map(() => text).mapErr((reason) => `${reason}. ${text}`);
});

const linesOf = (before: Alias, after: Alias): readonly string[] => [
  `alias: ${after.email}`,
  `before: ${addressesOf(before)}`,
  `after: ${addressesOf(after)}`,
];

const jsonOf = (before: Alias, after: Alias): string =>
  JSON.stringify({
    alias: after.id,
    email: after.email,
    before: recipientsOf(before),
    after: recipientsOf(after),
  });

const explain = (error: ReplaceRecipientsError): string => {
  switch (error.code) {
    case "invalid_request":
      return explainIssues(error, { recipientIds: "RECIPIENT..." });
    case "alias_not_found":
    case "precondition_failed":
      return CHANGED_MEANWHILE;
    case "alias_deleted":
      return DELETED;
    case "recipients_ineligible":
      return RECIPIENTS_CHANGED;
    case "unavailable":
      return storeFailed(error, "run the command again");
  }
};
