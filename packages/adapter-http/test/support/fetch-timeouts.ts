import { vi } from "vitest";

/** Until the test ends, the timeouts of fetches expire when it says so, and not before. */
export const holdFetchTimeouts = () => {
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
  return {
    /** How long each of them is, in milliseconds. */
    lengths: () => timeout.mock.calls.map(([milliseconds]) => milliseconds),
    expire: () => late.abort(new DOMException("Too late", "TimeoutError")),
  };
};
