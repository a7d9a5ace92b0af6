import type { SesEventRead, SesOutcomesPorts } from "@postern/adapter-ses/outcomes";
import type { OnUnreported } from "@postern/core";
import { nodePorts } from "@postern/node";
import type { Configuration } from "../../configuration/configuration.ts";
import { sampler } from "../observability/sampler.ts";
import { unreportedLog } from "../observability/unreported-log.ts";
import type { Composition } from "./compose.ts";

const TEXTS = {
  first: "what SES reports could not be stored yet; it stays in the queue",
  further: "further reports of SES could not be stored in the same second",
};

/** Where what SES reports about mail is stored, and how it is logged and counted. */
export const outcomePorts = (
  { aliasDomains, linkSecrets, mailboxSecret }: Configuration,
  { store, postern, logger, metrics }: Pick<Composition, "store" | "postern" | "logger" | "metrics">,
): SesOutcomesPorts & { readonly onUnreported: OnUnreported } => {
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
  return {
    store,
    aliasDomains,
    ...nodePorts({ linkSecrets, mailboxSecret }),
    recordMailOutcome: postern.recordMailOutcome,
    onEvent,
    onUnreported: unreported,
  };
};
