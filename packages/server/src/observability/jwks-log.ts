import type { Cause } from "@postern/core";
import type { Logger } from "pino";
import { causeText } from "./cause-text.ts";
import type { Metrics } from "./metrics.ts";

/** Counts the fetches of the issuer's keys, and logs those that fail (the authorizer makes few) and the first to succeed again. */
export const jwksLog = (
  logger: Pick<Logger, "warn" | "info">,
  { jwksFetched }: Pick<Metrics, "jwksFetched">,
): ((result: "ok" | Cause) => void) => {
  let failing = false;
  return (result) => {
    jwksFetched(result === "ok" ? "ok" : "failed");
    if (result !== "ok") logger.warn({ cause: causeText(result) }, "the issuer's keys could not be fetched");
    else if (failing) logger.info({}, "the issuer's keys are fetched again");
    failing = result !== "ok";
  };
};
