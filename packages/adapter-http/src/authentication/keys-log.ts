import type { Cause } from "@postern/core";
import type { Logger } from "../logger.ts";

/**
 * Logs the first failed fetch of the issuer's keys, with its cause, and the first that succeeds again. The failures in between,
 * up to one a second, would only repeat it. Logs nothing until it is given a logger.
 */
export const keysLog = () => {
  let logger: Logger | undefined;
  let failing = false;
  return {
    to: (given: Logger | undefined): void => {
      // If several APIs share the authorizer, not every one has a logger.
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
