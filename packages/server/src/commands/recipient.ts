import { err, parseAccountId } from "@postern/core";
import { ENV } from "../configuration/names.ts";
import { actions } from "./actions.ts";
import type { Command } from "./command.ts";
import { missingVariables } from "./missing-variables.ts";
import { withStore } from "./with-store.ts";

const resend: Command["run"] = async (configuration, [account, recipientId, ...more]) => {
  if (account === undefined || recipientId === undefined || more.length > 0) return null;
  const { mail } = configuration;
  if (mail.isErr()) return err(missingVariables(mail.error));
  const owner = parseAccountId(account);
  if (owner.isErr()) return err("ACCOUNT is not an account id.");
  const target = { account: owner.value, recipientId };
  // Only here: other commands do not need what sends mail.
  const { sendAgain } = await import("./recipient/send-again.ts");
  return withStore(configuration, "alongside", (store) => sendAgain(store, mail.value, target));
};

export const recipientCommand: Command = {
  usages: [
    {
      line: "recipient resend ACCOUNT RECIPIENT",
      meaning: `sends a new verification link through ${ENV.smtpUrl}, at once even if the server queues verification mail, within the limits of the account; needs the variables for mail and links. Safe while a server is using the store`,
    },
  ],
  run: actions({ resend }),
};
