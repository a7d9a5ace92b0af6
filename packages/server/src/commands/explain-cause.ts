import type { Unavailable } from "@postern/core";
import { causeText } from "../observability/cause-text.ts";
import { printable } from "./printable.ts";

/** Why a store failed, for the operator. A custom store may put anything into a cause. */
export const explainCause = ({ cause }: Unavailable): string => printable(causeText(cause));
