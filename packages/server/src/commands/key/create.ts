import { err, MAX_API_KEYS, SCOPES, type Scope } from "@postern/core";
import { type CreateApiKeyError, createApiKey } from "@postern/core/operations";
import { nodePorts } from "@postern/node";
import { ENV } from "../../configuration/names.ts";
import { forOwner } from "../account/for-owner.ts";
import type { Command } from "../command.ts";
import { storeFailed } from "../explain-cause.ts";
import { explainIssues } from "../explain-issues.ts";
import { missingVariables } from "../missing-variables.ts";
import { printLines } from "../print-lines.ts";
import { jsonOf } from "./show-key.ts";

const CREATED = "Created: the key is shown only now. The program that it is for needs it, and this address";

/** An account exists once something is stored for it, so a mistyped id makes a new one. */
const NO_RECIPIENT =
  "(The account has no recipient: add one with `recipient adopt`, or make sure that the id is right.)";

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

export const create: Command["run"] = async (configuration, args, flags) => {
  if (configuration.secrets.isErr()) return err(missingVariables(configuration.secrets.error));
  // Those of the server, which has to recognize the key.
  const { secrets } = nodePorts(configuration.secrets.value);
  const run = forOwner(async (account, [name = "", ...scopes], _, ports) => {
    if (!scopes.every(isScope)) return err(`SCOPE is one of ${SCOPES.join(", ")}. No key was created.`);
    const created = await createApiKey({ ...ports, secrets })({ account, name, scopes });
    if (created.isErr()) return err(explain(created.error));
    const { apiKey, secret } = created.value;
    const line = flags.has("json") ? JSON.stringify({ ...jsonOf(apiKey), secret }) : secret;
    const added = await ports.recipients.list(account, { limit: 1, after: null });
    const note = added.isOk() && added.value.items.length === 0 ? ` ${NO_RECIPIENT}` : "";
    return (await printLines([line]))
      .map(() => `${CREATED}: ${ports.keysUrl}${note}`)
      .mapErr(
        (reason) => `${reason}. The key was created: delete it with \`key delete\`, and create another.`,
      );
  });
  return run(configuration, args, flags);
};

const explain = (error: CreateApiKeyError): string => {
  switch (error.code) {
    case "invalid_request":
      return `${explainIssues(error, { name: "NAME", scopes: "SCOPE" })} No key was created.`;
    case "api_keys_disabled":
      return `Servers take no keys: set ${ENV.keysPort} and ${ENV.keysUrl}, and restart them. No key was created.`;
    case "too_many_api_keys":
      return `The account has ${MAX_API_KEYS} keys, which is the limit: delete one first. No key was created.`;
    // Only of keys with a domain or recipients of their own.
    case "address_not_allowed":
    case "recipients_ineligible":
      return "No key was created.";
    case "unavailable":
      return storeFailed(
        error,
        "if `key list` shows the key, delete it, because nobody knows its secret. Then try again",
      );
  }
};
