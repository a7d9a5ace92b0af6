import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";
import { checkSendingServer } from "./sending-server.ts";

const NAMES = ["smtp", "smtp-tls"] as const;

const Needed = Variables.pick({ POSTERN_SMTP_URL: true, POSTERN_MAIL_FROM: true });

/** Whether verification messages can be sent. */
export const smtp: Check = {
  names: NAMES,
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped(NAMES, read.error);
    const { POSTERN_SMTP_URL: url, POSTERN_MAIL_FROM: from } = read.value;
    return checkSendingServer({
      names: NAMES,
      url,
      variable: "POSTERN_SMTP_URL",
      senders: [
        {
          from,
          sends: "verification mail",
          report: wrong,
          action:
            "Allow the sender POSTERN_MAIL_FROM at the mail server, for this login, or set it to one that is allowed",
        },
      ],
    });
  },
};
