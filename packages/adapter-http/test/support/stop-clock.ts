import { vi } from "vitest";

/**
 * From now on and until the test ends, no time passes for what measures it. So no request is refused because it waits for its turn for
 * too long, however busy the machine is.
 */
export const stopClock = (): void => {
  // biome-ignore lint/plugin: it stops here
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
};
