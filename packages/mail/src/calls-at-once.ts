/** How many store calls mail makes at once: enough to hide the latency of a remote store, but few enough not to delay requests. */
export const CALLS_AT_ONCE = 10;
