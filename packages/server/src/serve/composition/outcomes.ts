import { type OutcomePolling, pollOutcomes, type SesEventRead } from "@postern/adapter-ses/outcomes";
import { nodePorts } from "@postern/node";
import type { Configuration } from "../../configuration/configuration.ts";
import { systemCode } from "../../system/system-code.ts";
import { sampler } from "../observability/sampler.ts";
import { unreportedLog } from "../observability/unreported-log.ts";
import type { Composition } from "./compose.ts";

const TEXTS = {
  first: "what SES reports could not be stored yet; it stays in the queue",
  further: "further reports of SES could not be stored in the same second",
};

/** Takes what SES reports about forwarded mail out of this queue, for whichever server has sent it. */
export const openOutcomes = (
  sesQueue: string,
  { aliasDomains, linkSecrets, mailboxSecret }: Configuration,
  { store, postern, logger, metrics }: Pick<Composition, "store" | "postern" | "logger" | "metrics">,
): OutcomePolling => {
  const unreported = unreportedLog(logger, TEXTS);
  const isSample = sampler();
  const summarize = (further: number) =>
    logger.error({ further }, "further events of SES could not be read in the same second");
  const onEvent = ({ messageId, result }: SesEventRead): void => {
    const failure = result.isErr() ? result.error : null;
    if (failure?.code === "unavailable") unreported(failure);
    else metrics.mail.reportRead(result.unwrapOr("unknown"));
    if (failure?.code !== "unreadable" || !isSample("", summarize)) return;
    const { reason } = failure;
    logger.error({ messageId, reason }, "an event of SES could not be read; it stays in the queue");
  };
  return pollOutcomes(
    { url: sesQueue },
    {
      store,
      aliasDomains,
      ...nodePorts({ linkSecrets, mailboxSecret }),
      recordMailOutcome: postern.recordMailOutcome,
      onEvent,
      onUnreported: unreported,
      onDefect: (error) =>
        logger.error({ reason: systemCode(error) }, "unexpected error while reading reports of SES (a bug)"),
    },
  );
};
