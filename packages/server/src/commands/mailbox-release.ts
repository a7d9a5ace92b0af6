import { err, ok } from "@postern/core";
import { releaseMailbox } from "@postern/core/operations";
import { nodePorts } from "@postern/node";
import { ENV } from "../configuration/names.ts";
import type { Command } from "./command.ts";
import { storeFailed } from "./explain-cause.ts";
import { missingVariables } from "./missing-variables.ts";
import { timing } from "./timing.ts";
import { withStore } from "./with-store.ts";

export const mailboxRelease: Command["run"] = async (configuration, [email = ""]) => {
  const { secrets } = configuration;
  if (secrets.isErr()) return err(missingVariables(secrets.error));
  return withStore(configuration, "alongside", async ({ mailLedger }) => {
    const released = await releaseMailbox({ mailLedger, ...nodePorts(secrets.value), ...timing })({
      email,
    });
    if (released.isErr()) {
      return err(
        released.error.code === "invalid_request"
          ? "ADDRESS is not an email address such as name@example.com."
          : storeFailed(released.error, "run the command again"),
      );
    }
    return released.value === "released"
      ? ok("Released: verification messages can be sent to this mailbox again.")
      : err(
          `This mailbox is not suppressed. If it should be, check that ${ENV.linkSecrets} and ${ENV.mailboxSecret} are those of the server.`,
        );
  });
};
