import type { ForwardingPause } from "@postern/mail";
import { explainCause } from "../explain-cause.ts";
import { timeOf } from "../time-of.ts";

const WHY = {
  relay: "the relay cannot be used",
  refusals: "the relay refuses everything",
  store: "the store does not respond",
} as const satisfies Record<ForwardingPause["reason"], string>;

/** A sentence about a pause, without a period. Contains no address. */
export const explainPause = ({ reason, cause, since, nextAt }: ForwardingPause): string => {
  const why = cause === null ? WHY[reason] : `${WHY[reason]} (${explainCause({ code: reason, cause })})`;
  return `Forwarding has been paused since ${timeOf(since)}: ${why}. It is next tried at ${timeOf(nextAt)}`;
};
