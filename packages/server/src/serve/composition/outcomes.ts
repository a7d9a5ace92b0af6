import { type OutcomePolling, pollOutcomes } from "@postern/adapter-ses/outcomes";
import type { Configuration } from "../../configuration/configuration.ts";
import { systemCode } from "../../system/system-code.ts";
import type { Composition } from "./compose.ts";
import { outcomePorts } from "./outcome-ports.ts";

/** Takes what SES reports about forwarded mail out of this queue, for whichever server has sent it. */
export const openOutcomes = (
  sesQueue: string,
  configuration: Configuration,
  composition: Pick<Composition, "store" | "postern" | "logger" | "metrics">,
): OutcomePolling =>
  pollOutcomes(
    { url: sesQueue },
    {
      ...outcomePorts(configuration, composition),
      onDefect: (error) =>
        composition.logger.error(
          { reason: systemCode(error) },
          "unexpected error while reading reports of SES (a bug)",
        ),
    },
  );
