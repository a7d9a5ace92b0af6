import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";
import { checkSendingServer } from "./sending-server.ts";

const NAMES = ["smtp", "smtp-tls"] as const;

const Needed = Variables.pick({ smtpUrl: true, mailFrom: true });

/** Whether verification messages can be sent. */
export const smtp: Check = {
  names: NAMES,
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped(NAMES, read.error);
    const { smtpUrl: url, mailFrom: from } = read.value;
    return checkSendingServer({
      names: NAMES,
      url,
      variable: ENV.smtpUrl,
      senders: [
        {
          from,
          sends: "verification mail",
          report: wrong,
          action: `Allow the sender ${ENV.mailFrom} at the mail server, for this login, or set it to one that is allowed`,
        },
      ],
    });
  },
};
