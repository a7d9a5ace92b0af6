/** Must neither throw nor reject. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Waits for a random time, at most `longest` milliseconds, before attempt number `attempt` (2, 3, …), to spread out competing writers.
   */
  pause(attempt: number, longest: number): Promise<void>;
};
