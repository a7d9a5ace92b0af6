import type { OnUnreported } from "@postern/core";
import { causeText } from "../../system/cause-text.ts";
import type { LogLines } from "./log.ts";
import { sampler } from "./sampler.ts";

/** What the log says about a failure that no result reports. */
type UnreportedTexts = { readonly first: string; readonly further: string };

const OF_REQUESTS: UnreportedTexts = {
  first: "request only partly completed",
  further: "further requests were only partly completed in the same second",
};

/** Logs failures that no result reports: the first in a second, and at the end of that second the number of the others. */
export const unreportedLog = (
  logger: Pick<LogLines, "warn">,
  texts: UnreportedTexts = OF_REQUESTS,
): OnUnreported => {
  const isSample = sampler();
  const summarize = (further: number) => logger.warn({ further }, texts.further);
  return ({ cause }) => {
    if (isSample("", summarize)) logger.warn({ cause: causeText(cause) }, texts.first);
  };
};
