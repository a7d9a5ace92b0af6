import type { InvalidRequest, Unavailable } from "@postern/core";
import { causeText } from "../observability/cause-text.ts";
import { printable } from "./printable.ts";

/** Why a store failed, for the operator. A custom store may put anything into a cause. */
export const explainCause = ({ cause }: Unavailable): string => printable(causeText(cause));

/**
 * A call of the store that failed, for the operator. `remedy` is what to do, and does not end with a full stop. Use cases can
 * also fail with `invalid_request`, but not for ids that a command has parsed.
 */
export const storeFailed = (failure: InvalidRequest | Unavailable, remedy: string): string => {
  const why = failure.code === "unavailable" ? explainCause(failure) : failure.code;
  return `The store did not respond (${why}): ${remedy}.`;
};
