import { type Loop, loop } from "@postern/mail";
import type { Configuration } from "../../configuration/configuration.ts";
import { systemCode } from "../../system/system-code.ts";
import type { Composition } from "./compose.ts";
import { eventSendingOf } from "./event-sending.ts";

/** Sends events to webhooks. */
type OpenedWebhooks = {
  start(): void;
  /**
   * Begins no new turns, and waits up to `graceMs` milliseconds for those under way. Events that have not been sent by then are sent
   * later. Idempotent.
   */
  stop(graceMs: number): Promise<void>;
};

/** How often the store is asked which webhooks have events to send: other servers announce events too. */
const INTERVAL_MS = 1_000;

const PAUSE_AFTER_FAILURE_MS = 10_000;

/** Undefined if no events are sent. */
export const openWebhooks = (
  configuration: Configuration,
  {
    store,
    logger,
    metrics,
    webhookSending,
  }: Pick<Composition, "store" | "logger" | "metrics" | "webhookSending">,
): OpenedWebhooks | undefined => {
  if (webhookSending === null) return undefined;
  const { events, unreported } = eventSendingOf(configuration, { store, logger, metrics, webhookSending });
  const send = async (): Promise<number> => {
    const begun = await events.beginTurns();
    if (begun.isOk()) return INTERVAL_MS;
    unreported(begun.error);
    return PAUSE_AFTER_FAILURE_MS;
  };
  let sending: Loop | undefined;

  const finish = async (): Promise<void> => {
    await sending?.stop();
    await events.turnsEnded();
  };
  const stop = async (graceMs: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([finish(), late]);
    clearTimeout(timer);
  };
  let stopped: Promise<void> | undefined;

  return {
    start: () => {
      sending = loop(send, {
        failed: (error) =>
          logger.error({ reason: systemCode(error) }, "unexpected error while sending events (a bug)"),
        pauseMs: PAUSE_AFTER_FAILURE_MS,
      });
    },
    stop: (graceMs) => {
      stopped ??= stop(graceMs);
      return stopped;
    },
  };
};
