import { type AccountId, err, ok, Recipient, type Result } from "@postern/core";
import { type AdoptRecipientError, adoptRecipient } from "@postern/core/operations";
import { ENV } from "../../configuration/names.ts";
import { forOwner, type OwnerPorts } from "../account/for-owner.ts";
import { storeFailed } from "../explain-cause.ts";
import { explainIssues } from "../explain-issues.ts";
import { printLines } from "../print-lines.ts";
import { findRecipients } from "./find-recipients.ts";
import { showRecipient } from "./show-recipient.ts";

/** The recipient, and what was done. */
type Done = { readonly recipient: Recipient; readonly text: string };

export const adopt = forOwner(async (account, [email = ""], flags, ports) => {
  const adopted = await adoptRecipient(ports)({ account, email });
  const done = adopted.isOk()
    ? await describeNew(ports, adopted.value)
    : adopted.error.code === "address_taken"
      ? await vouchFor(ports, account, email)
      : err(explain(adopted.error));
  if (done.isErr()) return err(done.error);
  const { recipient, text } = done.value;
  return (await printLines([showRecipient(flags)(recipient)]))
    .map(() => text)
    .mapErr((reason) => `${reason}. ${text}`);
});

const ADOPTED = "Added as verified, without a message: aliases of the account can forward to it.";

/** An account exists once something is stored for it, so a mistyped id makes a new one. */
const describeNew = async (
  { recipients }: OwnerPorts,
  recipient: Recipient,
): Promise<Result<Done, string>> => {
  const listed = await recipients.list(recipient.account, { limit: 2, after: null });
  const isFirst = listed.isOk() && listed.value.items.length === 1;
  const note = isFirst ? " It is the first recipient of this account: make sure that the id is right." : "";
  return ok({ recipient, text: `${ADOPTED}${note}` });
};

const CHANGED_MEANWHILE = "The recipient was changed at the same time: run the command again.";

/** Verifies the recipient that the account already has. */
const vouchFor = async (
  ports: OwnerPorts,
  account: AccountId,
  email: string,
): Promise<Result<Done, string>> => {
  const found = await findRecipients(ports, account, [email]);
  if (found.isErr()) return err(found.error);
  const recipient = found.value.get(email);
  if (recipient === undefined) return err(CHANGED_MEANWHILE);
  const verified = Recipient.verify(recipient, ports.clock.now());
  if (verified === recipient)
    return ok({
      recipient,
      text: "The account already has this recipient, and it is verified: nothing was changed.",
    });
  const saved = await ports.recipients.save(recipient, verified);
  if (saved.isOk())
    return ok({
      recipient: verified,
      text: "The account already had this recipient. It is verified now, and aliases can forward to it.",
    });
  return err(
    saved.error.code === "conflict" ? CHANGED_MEANWHILE : storeFailed(saved.error, "run the command again"),
  );
};

const explain = (error: Exclude<AdoptRecipientError, { code: "address_taken" }>): string => {
  switch (error.code) {
    case "invalid_request":
      return explainIssues(error, { email: "ADDRESS" });
    case "address_not_allowed":
      return `ADDRESS is on a domain of ${ENV.aliasDomains}: mail to it would loop. Nothing was changed.`;
    case "too_many_recipients":
      return `The account has ${error.limit} recipients, as many as ${ENV.maxRecipients} allows: nothing was changed.`;
    case "too_many_unverified_recipients":
      return `The account has ${error.limit} unverified recipients, as many as ${ENV.maxUnverifiedRecipients} allows: nothing was changed.`;
    case "unavailable":
      return storeFailed(error, "run the command again");
  }
};
