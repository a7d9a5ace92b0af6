import type { Cause } from "@postern/core";
import { causeText } from "../system/cause-text.ts";
import { printable } from "./printable.ts";

/** An error of a port, or of an operation that passes one on. */
type Failed = { readonly code: string; readonly cause?: Cause | undefined };

/** Why a port failed, for the operator. A custom store may put anything into a cause. */
export const explainCause = ({ cause }: Failed): string => printable(causeText(cause));

/** Says that a command failed because of the store, and what to do: `action` continues the sentence. */
export const storeFailed = (error: Failed, action: string): string =>
  `The store failed (${explainCause(error)}): ${action}.`;
