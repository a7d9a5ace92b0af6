import {
  type EventSending,
  eventSending,
  type OnUnreported,
  type Store,
  type WebhookSending,
} from "@postern/core";
import { nodePorts } from "@postern/node";
import type { Configuration } from "../../configuration/configuration.ts";
import type { LogLines } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { unreportedLog } from "../observability/unreported-log.ts";

const TEXTS = {
  first: "events could not be sent to webhooks yet",
  further: "further events could not be sent in the same second",
};

/** Sends the events that are announced in the store. `unreported` logs failures, those of turns and others. */
export const eventSendingOf = (
  { linkSecrets, mailboxSecret }: Pick<Configuration, "linkSecrets" | "mailboxSecret">,
  parts: {
    readonly store: Store;
    readonly logger: Pick<LogLines, "warn">;
    readonly metrics: Pick<Metrics, "webhookEvent">;
    readonly webhookSending: WebhookSending;
  },
): { readonly events: EventSending; readonly unreported: OnUnreported } => {
  const { store, logger, metrics, webhookSending } = parts;
  const unreported = unreportedLog(logger, TEXTS);
  const events = eventSending({
    store,
    webhookSending,
    ...nodePorts({ linkSecrets, mailboxSecret }),
    onEvent: metrics.webhookEvent,
    onUnreported: unreported,
  });
  return { events, unreported };
};
