import { vi } from "vitest";

/** Until the test ends, deadlines pass when the returned function is called, and not before. */
export const holdDeadlines = (): (() => void) => {
  const held: AbortController[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const deadline = new AbortController();
    held.push(deadline);
    return deadline.signal;
  });
  return () => {
    for (const deadline of held.splice(0)) deadline.abort();
  };
};
