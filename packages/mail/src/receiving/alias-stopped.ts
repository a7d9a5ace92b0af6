import type { Unavailable } from "@postern/core";

/** An alias stopped accepting mail between RCPT and the end of the message. If the client tries again, it is told about each recipient. */
export const ALIAS_STOPPED: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "an alias stopped accepting mail while the message arrived" },
};
