import type { Cause } from "@postern/core";

/** Longer than any cause that an adapter may give. A custom store is not forced to obey. */
const MAX_LENGTH = 240;

/** A cause as the log has it: `sqlite SQLITE_FULL`. */
export const causeText = (cause: Cause | null | undefined): string =>
  cause == null ? "cause not given" : `${cause.source} ${cause.reason}`.slice(0, MAX_LENGTH);
