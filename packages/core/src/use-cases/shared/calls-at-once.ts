/** How many calls of the store mail makes at once: enough to hide the latency of a remote store, few enough not to delay requests. */
export const CALLS_AT_ONCE = 10;
