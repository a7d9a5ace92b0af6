import type { ForwardingPause, PauseEvent } from "@postern/mail";
import { causeText } from "../../system/cause-text.ts";
import type { LogLines } from "./log.ts";
import type { MailMeasurements } from "./mail-metrics.ts";

const PAUSED = {
  relay: "relay unavailable: forwarding is paused",
  refusals: "the relay refuses everything: forwarding is paused",
  store: "store unavailable: mail that waits is not forwarded",
} as const satisfies Record<ForwardingPause["reason"], string>;

const STILL_PAUSED = {
  relay: "relay still unavailable",
  refusals: "the relay still refuses everything",
  store: "store still unavailable",
} as const satisfies Record<ForwardingPause["reason"], string>;

/** Logs when forwarding pauses, each time that it is tried in vain whether that is over, and when it resumes; and exports whether it is paused. */
export const pauseLog =
  ({
    metrics,
    logger,
  }: {
    readonly metrics: Pick<MailMeasurements, "forwardingPaused">;
    readonly logger: Pick<LogLines, "info" | "warn" | "error">;
  }) =>
  (event: PauseEvent): void => {
    metrics.forwardingPaused(event.type !== "resumed");
    const { reason, cause, nextAt } = event.pause;
    const nextTry = new Date(nextAt).toISOString();
    const tried = cause === null ? { nextTry } : { cause: causeText(cause), nextTry };
    switch (event.type) {
      case "paused":
        logger.error(tried, PAUSED[reason]);
        return;
      case "waiting":
        logger.warn(tried, STILL_PAUSED[reason]);
        return;
      case "resumed": {
        const { milliseconds, waiting } = event;
        logger.info({ seconds: Math.round(milliseconds / 1000), waiting }, "forwarding resumed");
      }
    }
  };
