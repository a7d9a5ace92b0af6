import { type FailureReason, failureReason } from "@postern/core";
import type { RelayAnswer } from "../relay.ts";

/** Why the relay did not accept a copy. */
export const reasonOfAnswer = (
  answer: Exclude<RelayAnswer, { readonly kind: "accepted" }>,
): FailureReason => {
  if (answer.about !== "copy") return "relay_unavailable";
  const isSilent = answer.code === null && answer.status === null;
  return isSilent ? "unreachable" : failureReason(answer.code, answer.status);
};
