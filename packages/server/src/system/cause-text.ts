import type { Cause } from "@postern/core";

/** Longer than any cause that an adapter may return. Nothing forces a custom store to comply. */
const MAX_LENGTH = 240;

/** A cause as it appears in the log: `sqlite SQLITE_FULL`. */
export const causeText = (cause: Cause | null | undefined): string =>
  cause == null ? "cause not given" : `${cause.source} ${cause.reason}`.slice(0, MAX_LENGTH);
