import type { OnUnreported } from "@postern/core";
import type { Logger } from "pino";
import { causeText } from "./cause-text.ts";
import { sampler } from "./sampler.ts";

/** Logs failures that no response reports: the first in a second, and at the end of that second the number of the others. */
export const unreportedLog = (logger: Pick<Logger, "warn">): OnUnreported => {
  const isSample = sampler();
  const summarize = (further: number) =>
    logger.warn({ further }, "further requests were completed in part in the same second");
  return ({ cause }) => {
    if (isSample("", summarize)) logger.warn({ cause: causeText(cause) }, "request completed in part");
  };
};
