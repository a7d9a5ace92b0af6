import type { Cause } from "@postern/core";
import type { Logger } from "../logger.ts";

/**
 * Logs the first fetch of the issuer's keys that fails, with its cause, and the first to succeed again. Those in between, up to
 * one a second, would only repeat it. Logs nothing until it is given a logger.
 */
export const keysLog = () => {
  let logger: Logger | undefined;
  let failing = false;
  return {
    to: (given: Logger | undefined): void => {
      // Of several APIs that share the authorizer, not each has a logger.
      logger = given ?? logger;
    },
    fetched: (result: "ok" | Cause): void => {
      if (result !== "ok" && !failing) {
        const cause = `${result.source} ${result.reason}`;
        logger?.warn({ cause }, "the issuer's keys could not be fetched");
      } else if (result === "ok" && failing) {
        logger?.info({}, "the issuer's keys are fetched again");
      }
      failing = result !== "ok";
    },
  };
};
